// @ts-check
/** What else can be done about an address that this page could not fetch. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { corsAdvice } from "../answers/cors_advice.js";
import { button, el, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { isPublic } from "../executor/address_space.js";
import { WALLS } from "../executor/transport_choice.js";
import { serverLines } from "./mcp_advice.js";
import { companionButton, obtainGrant } from "./companion_grant.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** Fetch it by another way; the companion has the user's leave then. @typedef {{askBridge: () => void, useCompanion: () => Promise<void>}} FetchWays */

/** Failures after which the bridge itself may still get a public document. */
const BRIDGE_MAY_HELP = new Set([
  "cors",
  "error_answer",
  "network",
  "mixed_content",
  "redirect_refused",
  "blocked_by_policy",
  "timeout",
]);
const WORDS = /** @type {Record<string, string>} */ (
  dictionaryOf({
    network: t`Check the address, and that the server runs, then fetch again.`,
    timeout: t`The server may be busy. Fetch again, or look whether it runs.`,
    cors: t`Perhaps nothing is at this path: many servers leave the permission (CORS) out of their error answers. If the document is there, save it and add it as a file; its calls still need the permission.`,
    mcp_login: "",
  })
);

/** @param {URL} url @param {string} code of the failure @param {Parts} parts @param {FetchWays} ways @returns {HTMLElement} */
export function alternativesTo(url, code, parts, ways) {
  const lines = serverLines(code);
  if (lines) return lines;
  const canHelp = BRIDGE_MAY_HELP.has(code) && isPublic(url.hostname);
  const help = canHelp ? button(t`Let the bridge fetch it`, ways.askBridge, { class: "primary" }) : null;
  const doctor = `${viewAddress("doctor")}?url=${encodeURIComponent(url.href)}`;
  const words = canHelp
    ? t`The document is public, so the bridge can fetch it instead, together with the files it refers to at the same origin; files elsewhere are left out and listed in the report. The calls themselves still need the API's permission (CORS) for your browser.`
    : (WORDS[code] ?? t`You can also save the document and add it as a file.`);
  return el(
    "div",
    { class: "alternatives" },
    el("p", { class: "hint" }, words),
    el("div", { class: "actions" }, help, link(t`Open the doctor`, doctor, { class: "button quiet" })),
    WALLS.has(code) || code.startsWith("companion_") ? companionWay(url, parts, ways) : null,
    code === "cors" ? corsAdvice(parts, url.origin) : null,
  );
}

/** The companion reads what no page may. It is asked for no more than that. @param {URL} url @param {Parts} parts @param {FetchWays} ways */
function companionWay(url, { api }, { useCompanion }) {
  const hint = t`The limits of a page do not stop it. It asks you whether it may read at ${url.origin}, and sends no cookies and no credentials. Calls to that origin then take the same way; you can change that under How it is called.`;
  return companionButton(t`Fetch it through the companion`, hint, async (place) => {
    if (await obtainGrant(api, { api: url.origin, login: false, methods: "safe" }, place)) await useCompanion();
  });
}
