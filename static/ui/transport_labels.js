// @ts-check
/** How a request goes or went out, and what is read before it, as a user reads it. */
import { t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";
import { el, methodTag } from "./dom.js";

const SHOWN_URL_CHARS = 300;

/** @param {import("../types/types.js").Via} via @param {string} url of the API @returns {string} "" for the page itself, which is the usual way */
export function viaWords({ transport, login }, url) {
  if (transport === "page") return "";
  const host = URL.canParse(url) ? new URL(url).host : url;
  return login
    ? t`the companion extension, signed in as you at ${truncateLine(host)}`
    : t`the companion extension, without your login`;
}

/** A line for each file that is read before a request; pages of before tell of none. @param {import("../types/types.js").FileRead[]} [reads] */
export const readLines = (reads = []) => reads.map(readLine);

/** @param {import("../types/types.js").FileRead} read */
function readLine({ url, server_id, credentials, via }) {
  const way = viaWords(via, url);
  const facts = [
    server_id === null ? t`kept by the bridge` : t`at ${truncateLine(server_id)}`,
    ...(credentials.length > 0 ? [t`with ${credentials.map((name) => truncateLine(name)).join(", ")}`] : []),
    ...(way ? [t`sent by ${way}`] : []),
  ];
  return el(
    "p",
    { class: "mono card-url", dataset: { testid: "first-reads" } },
    t`First reads`,
    " ",
    methodTag("GET", true),
    " ",
    el("bdi", { class: "card-text", dir: "ltr" }, truncateLine(url, SHOWN_URL_CHARS)),
    el("span", { class: "facts" }, ` (${facts.join("; ")})`),
  );
}
