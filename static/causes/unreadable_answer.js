// @ts-check
/**
 * An API is up, and a page could not read its answer: a browser does not say whether the API lets no page read, not with this method
 * or header, or only forgot to say so in an error. What could be read before tells them apart. Pure but for the given `fetch`.
 */

import { said } from "../base/said.js";
import { UNASKED_METHODS } from "../request/preflight.js";
import { findRedirect } from "./redirects.js";

/** @typedef {import("../types/types.d.ts").Diagnosis} Diagnosis */
/** @typedef {import("../types/types.d.ts").PastRead} PastRead */
/** @typedef {import("../types/types.d.ts").MissingCredential} MissingCredential */
/**
 * @typedef {object} UnreadRequest
 * @property {string} url
 * @property {string} [method] default: GET
 * @property {readonly string[]} [headers] names of those for which browsers ask the API first
 * @property {readonly MissingCredential[]} [missing] what the document demands and this browser has not saved
 * @property {boolean} [mayRepeat] it only reads, without a secret, and followed redirects
 */

/** @param {number} at milliseconds since the epoch @returns {string} the same in every language and time zone */
const minuteOf = (at) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** What no readable answer has shown to be allowed. @param {UnreadRequest} request @param {readonly PastRead[]} reads @returns {string[]} words */
function unprovenParts({ method = "GET", headers = [] }, reads) {
  const isMethodProven = UNASKED_METHODS.has(method) || reads.some((read) => read.method === method);
  const sent = new Set(reads.flatMap((read) => read.headers));
  const unproven = headers.filter((name) => !sent.has(name));
  return [...(isMethodProven ? [] : [`the method ${method}`]), ...unproven.map((name) => `the header ${name}`)];
}

/**
 * @param {UnreadRequest} request
 * @param {{detail: Record<string, unknown>, reads: readonly PastRead[], fetch: typeof globalThis.fetch}} known `reads`: of its origin
 *   before, newest first
 * @returns {Promise<Diagnosis>}
 */
export async function explainUnreadable(request, { detail, reads, fetch }) {
  const redirect = request.mayRepeat ? await findRedirect(request.url, fetch) : "none";
  const { origin } = new URL(request.url);
  const { message, likely_cause, ...told } =
    redirect === "none" ? judgeReads(request, reads, origin) : redirectCause(redirect, origin);
  const facts = { ...detail, ...(likely_cause ? { likely_cause } : {}), ...missingFact(request) };
  return { ...told, message: message + missingWords(request), detail: facts, delivered: "unknown", retryable: false };
}

/** @typedef {import("../base/said.js").Said & {code: string, likely_cause?: string}} Cause */

/** @param {"circle" | "unreadable"} redirect @param {string} origin @returns {Cause} */
function redirectCause(redirect, origin) {
  if (redirect === "unreadable")
    return {
      code: "cors",
      likely_cause: "redirect",
      ...said(
        "redirect_unreadable",
        "{origin} redirects this request, and this page may not read the answer to which it leads: perhaps a login page or an error. Open the address in a tab to see where it leads.",
        { origin },
      ),
    };
  return {
    code: "redirect_refused",
    likely_cause: "redirect_circle",
    ...said(
      "redirect_circle",
      "{origin} redirects this request and never answers it: most likely in a circle. Often one part of the API adds a slash at the end of the path and another removes it. Open the address in a tab to see, and put the final address into the document or the server's base URL.",
      { origin },
    ),
  };
}

/** @param {UnreadRequest} request @param {readonly PastRead[]} reads @param {string} origin @returns {Cause} */
function judgeReads(request, reads, origin) {
  const [last] = reads;
  if (!last)
    return {
      code: "cors",
      ...said(
        "cors",
        "{origin} is up, but does not let this page read its answers (CORS). The API must allow the origin of the bridge page, the method and the headers that are sent.",
        { origin },
      ),
    };
  const time = minuteOf(last.at);
  const unproven = unprovenParts(request, reads);
  if (unproven.length > 0)
    return {
      code: "cors",
      likely_cause: "cors_settings",
      message: `${origin} has let this page read answers (last at ${time}), but none yet to a request with ${unproven.join(", ")}. Most likely its CORS settings do not allow that; if they do, this answer was an error without CORS headers, and the API's log has the cause.`,
    };
  return {
    code: "cors",
    likely_cause: "error_answer",
    ...said(
      "error_answer",
      "{origin} has let this page read answers (last at {time}), so CORS is set up there. Most likely this answer was an error (4xx or 5xx) or a redirect, to which the API adds no CORS headers: look at the API's log.",
      { origin, time },
    ),
  };
}

/** @param {Pick<UnreadRequest, "missing">} request */
export const missingFact = ({ missing = [] }) => (missing.length > 0 ? { missing_credentials: [...missing] } : {});

/** @param {Pick<UnreadRequest, "missing">} request */
export function missingWords({ missing = [] }) {
  if (missing.length === 0) return "";
  return ` The document demands a credential that this request did not carry (${missing.map(({ scheme }) => scheme).join(", ")}), and refusals often come without CORS headers or as a redirect to a login page: save it, or log in, at the server on the bridge page.`;
}
