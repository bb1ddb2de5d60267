// @ts-check
/** How a request goes or went out, as a user reads it. */
import { t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @param {import("../types/types.js").Via} via @param {string} url of the API @returns {string} "" for the page itself, which is the usual way */
export function viaWords({ transport, login }, url) {
  if (transport === "page") return "";
  const host = URL.canParse(url) ? new URL(url).host : url;
  return login ? t`the companion extension, signed in as you at ${truncateLine(host)}` : t`the companion extension, without your login`;
}
