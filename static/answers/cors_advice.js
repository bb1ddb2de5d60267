// @ts-check
/** What to put into an API that does not let this page read its answers: the lines for its framework, with what this API needs. */
import { t } from "../base/language.js";
import { corsLines, needsOf, USUAL_NEEDS, wallOf } from "../causes/cors_lines.js";
import { codeBlock, el, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";

/** @typedef {Pick<import("../types/view_types.js").Parts, "api" | "pins" | "credentials" | "inventory">} Parts */
/** @typedef {import("../causes/cors_lines.js").CorsNeeds} CorsNeeds */

/** What the calls to an origin need, of all servers that call it. @param {Parts} parts @param {string} origin @returns {Promise<CorsNeeds | null>} null: none is known */
async function readNeeds({ api, pins, credentials, inventory }, origin) {
  const ids = inventory.servers.filter(({ origins }) => origins.includes(origin)).map(({ id }) => id);
  const all = await Promise.all(
    ids.map(async (id) => {
      const [server, accepted, secrets] = await Promise.all([
        api.readServer(id),
        pins.listPins(id),
        credentials.loadCredentials(id, origin),
      ]);
      const plans = accepted.filter((pin) => pin.origin === origin).map(({ plan }) => plan);
      return needsOf({ ...server, tools: server.tools.filter((tool) => tool.origin === origin) }, plans, secrets);
    }),
  );
  const methods = [...new Set(all.flatMap((needs) => needs.methods))];
  return methods.length === 0 ? null : { methods, headers: [...new Set(all.flatMap((needs) => needs.headers))] };
}

/** @param {Parts} parts @param {string} origin of the API @returns {HTMLElement} filled when what is known of it was read */
export function corsAdvice(parts, origin) {
  const place = el("section", { class: "stack", "aria-label": t`What to put into the server` });
  void readNeeds(parts, origin).then(
    (needs) => fill(place, ...linesView(needs)),
    (failure) => fill(place, notice("error", sentenceOf(failure))),
  );
  return place;
}

/** Beside a failed call. @param {Parts} parts @param {import("../types/api_types.js").WireError | null | undefined} error @returns {HTMLElement | null} null: no such lines would help */
export function corsOffer(parts, error) {
  const origin = error ? wallOf(error) : null;
  return origin === null ? null : corsAdvice(parts, origin);
}

/** @param {CorsNeeds | null} needs */
function linesView(needs) {
  const kinds = corsLines(location.origin, needs ?? USUAL_NEEDS);
  const shown = el("div");
  const choice = el("select", null, ...kinds.map(({ name }) => el("option", { value: name }, name)));
  const show = () => {
    const { name, text } = kinds[choice.selectedIndex] ?? kinds[0];
    fill(shown, codeBlock(text, t`Lines for ${name}`));
  };
  choice.addEventListener("change", show);
  show();
  const words = needs
    ? t`The API must send these headers, also in answers to OPTIONS requests. They name its own methods and the headers that your calls send:`
    : t`The API must send these headers, also in answers to OPTIONS requests. Add the names of your own key headers:`;
  return [el("p", { class: "hint" }, words), labelledField(t`What the API is made with`, choice), shown];
}
