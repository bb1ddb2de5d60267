// @ts-check
/** What a tool is, above its form: its name, and what its requests carry. */
import { t, formatList } from "../base/language.js";
import { el, link } from "../ui/dom.js";
import { icon } from "../ui/icon.js";
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

/**
 * Whether a request will carry a credential, by what this browser has saved; null where none is asked for.
 * @param {{server_id: string}} tool @param {RequestPlan} plan @param {string[]} schemes those saved for the address
 */
export function credentialLink({ server_id }, plan, schemes) {
  const words = credentialWords(plan, schemes);
  if (!words) return null;
  const sent = sentNames(plan, schemes);
  const isSent = sent.length > 0 || schemes.includes("*");
  const label = sent.length > 0 ? formatList(sent) : isSent ? t`credential` : t`no credential`;
  return el(
    "a",
    {
      class: `credential-link ${isSent ? "good" : "warning"}`,
      href: placeAddress(server_id, "credentials"),
      title: words,
    },
    icon(isSent ? "lock" : "lock-open"),
    el("span", { class: "credential-name" }, label),
    el("span", { class: "visually-hidden" }, `: ${words}`),
  );
}

/** Where the saved credentials go: names of headers and parameters. @param {Pick<RequestPlan, "security">} plan @param {string[]} schemes */
function sentNames(plan, schemes) {
  const made = Object.fromEntries(schemes.filter((name) => name !== "*").map((name) => [name, { value: "x" }]));
  return placeSecrets(plan, made)
    .filter((place) => place.in !== "nowhere")
    .map(({ name }) => name);
}

/**
 * @param {Pick<RequestPlan, "security">} plan
 * @param {string[]} schemes with a credential saved in this browser; "*": one for every request
 * @returns {string} a sentence; "" where nothing is asked for or sent
 */
export function credentialWords(plan, schemes) {
  const sent = sentNames(plan, schemes);
  if (sent.length > 0) return t`Sends your credential as ${formatList(sent)}.`;
  if (schemes.includes("*")) return t`Sends the credential that goes with every request of this server.`;
  const needed = [...new Set(plan.security.flat().map(({ scheme }) => scheme))];
  if (needed.length === 0) return "";
  const may = plan.security.some((all) => all.length === 0);
  const names = formatList(needed, "disjunction");
  return may
    ? t`Takes a credential (${names}), and none is saved in this browser.`
    : t`Needs a credential (${names}), and none is saved in this browser.`;
}
