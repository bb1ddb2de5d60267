// @ts-check
/** What a tool is, above its form: name, whole address, what its requests carry, and its description. */
import { t, formatList } from "../base/language.js";
import { codeSpans, el, fill, link, methodTag } from "../ui/dom.js";
import { placeSecrets } from "../request/credential_placement.js";
import { placeAddress, viewAddress } from "../ui/router.js";

/** @typedef {import("../types/api_types.js").FullTool} FullTool */
/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */

/** @param {FullTool} tool */
export function toolTitle({ name, server_id, key }) {
  const server = link(t`Server`, viewAddress("servers", server_id), { class: "quiet-link" });
  const edit = link(t`Edit`, viewAddress("servers", server_id, "edit", key), {
    class: "quiet-link",
    "aria-label": t`Edit ${name}`,
  });
  const ways = el("div", { class: "actions" }, edit, server);
  return el("div", { class: "title-row" }, el("h1", { tabindex: "-1" }, name), ways);
}

/** The method and the path; the whole address once the plan is read. @param {FullTool} tool @param {Promise<{plan: RequestPlan, baseUrl: string}>} reading */
export function toolAddress({ method, safe, path }, reading) {
  const base = el("span", { class: "base-address" });
  reading.then(
    ({ plan, baseUrl }) => fill(base, plan.kind === "mcp" ? "" : baseUrl.replace(/\/$/, "")),
    () => undefined,
  );
  return el("p", { class: "mono address" }, methodTag(method, safe), " ", base, path);
}

/**
 * Whether a request will carry a credential, by what this browser has saved; with the way to add one.
 * @param {{server_id: string}} tool
 * @param {Promise<{plan: RequestPlan, schemes: string[]}>} reading schemes: those saved for the address
 */
export function credentialState({ server_id }, reading) {
  const place = el("p", { class: "hint credential-state" });
  const show = (/** @type {{plan: RequestPlan, schemes: string[]}} */ { plan, schemes }) => {
    const add = link(schemes.length > 0 ? t`Credentials` : t`Add a credential`, placeAddress(server_id, "credentials"));
    const words = credentialWords(plan, schemes);
    const isSent = sentNames(plan, schemes).length > 0 || schemes.includes("*");
    const badge = words
      ? el("span", { class: `badge ${isSent ? "good" : "warning"}` }, isSent ? t`credential` : t`no credential`)
      : null;
    fill(place, badge, " ", ...codeSpans(words), plan.security.length > 0 || schemes.length > 0 ? add : null);
  };
  reading.then(show, () => undefined);
  return place;
}

/** Where the saved credentials go, as names between backticks. @param {Pick<RequestPlan, "security">} plan @param {string[]} schemes */
function sentNames(plan, schemes) {
  const made = Object.fromEntries(schemes.filter((name) => name !== "*").map((name) => [name, { value: "x" }]));
  return placeSecrets(plan, made)
    .filter((place) => place.in !== "nowhere")
    .map(({ name }) => `\`${name}\``);
}

/**
 * @param {Pick<RequestPlan, "security">} plan
 * @param {string[]} schemes with a credential saved in this browser; "*": one for every request
 * @returns {string} a sentence, with names between backticks; "" where nothing is asked for or sent
 */
export function credentialWords(plan, schemes) {
  const sent = sentNames(plan, schemes);
  if (sent.length > 0) return t`Sends your credential as ${formatList(sent)}. `;
  if (schemes.includes("*")) return t`Sends the credential that goes with every request of this server. `;
  const needed = [...new Set(plan.security.flat().map(({ scheme }) => scheme))].map((name) => `\`${name}\``);
  if (needed.length === 0) return "";
  const may = plan.security.some((all) => all.length === 0);
  const names = formatList(needed, "disjunction");
  return may
    ? t`Takes a credential (${names}), and none is saved in this browser. `
    : t`Needs a credential (${names}), and none is saved in this browser. `;
}
