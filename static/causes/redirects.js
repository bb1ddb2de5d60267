// @ts-check
/** Where redirects go wrong: in a circle, by a slash, to a page for people. A page sees that there is one, and never where to. */

import { sendProbe } from "./probe_request.js";

const MAX_PATH_CHARS = 200;

/** What else it may be, where nobody can say. */
const USUAL_CAUSES =
  "Usual causes: a slash that the path lacks or has too much at its end, http in place of https, or a login page because a credential is missing.";

/**
 * The same address with a slash more, or less, at the end of its path, and no query; null: it has no such path.
 * @param {string} url
 * @returns {string | null}
 */
export function otherSlash(url) {
  const { origin, pathname } = new URL(url);
  if (pathname === "/") return null;
  return `${origin}${pathname.endsWith("/") ? pathname.replace(/\/+$/, "") : `${pathname}/`}`;
}

/** @param {string} url */
const shownPath = (url) => new URL(url).pathname.slice(-MAX_PATH_CHARS);

/** @param {string} url of the request @param {string} path that is right */
const slashWords = (url, path) =>
  `Most likely only a slash ${new URL(url).pathname.endsWith("/") ? "is too much" : "is missing"} at the end of the path: ${path} is right.`;

/**
 * Asks once, by HEAD and without anything of the user's, whether the other address answers. By HEAD: some APIs act on a GET.
 * @param {string} url of a request that was answered with a redirect
 * @param {typeof globalThis.fetch} fetch
 * @returns {Promise<{words: string, likely_cause?: "slash"}>} what is to be said of the redirect
 */
export async function explainRedirect(url, fetch) {
  const other = otherSlash(url);
  const answer = other === null ? "refused" : await sendProbe(fetch, other, { method: "HEAD", redirect: "manual" });
  const isThere =
    typeof answer !== "string" && answer.type !== "opaqueredirect" && answer.status !== 404 && answer.status < 500;
  if (!isThere || other === null) return { words: USUAL_CAUSES };
  return {
    words: `${shownPath(other)} answers (status ${answer.status}). ${slashWords(url, shownPath(other))}`,
    likely_cause: "slash",
  };
}

/**
 * The same where the address is known, as to the companion extension.
 * @param {string} url
 * @param {string} location absolute; it may lack its query
 * @returns {string} empty: it speaks for itself
 */
export function explainLocation(url, location) {
  const [from, to] = [new URL(url), new URL(location)];
  if (from.protocol === "http:" && to.protocol === "https:" && from.hostname === to.hostname)
    return "The API wants https: put that into the server's base URL.";
  return from.origin === to.origin && otherSlash(url) === `${to.origin}${to.pathname}`
    ? slashWords(url, shownPath(location))
    : "";
}

/**
 * Whether a request that only reads, and could not be read, was answered with a redirect. It is sent once or twice more.
 * @param {string} url
 * @param {typeof globalThis.fetch} fetch
 * @returns {Promise<"none" | "circle" | "unreadable">} `unreadable`: it ends at an answer that no page may read
 */
export async function findRedirect(url, fetch) {
  const first = await sendProbe(fetch, url, { method: "GET", redirect: "manual" });
  if (typeof first === "string") return "none";
  void first.body?.cancel();
  if (first.type !== "opaqueredirect") return "none";
  return (await sendProbe(fetch, url, { method: "GET", mode: "no-cors" })) === "refused" ? "circle" : "unreadable";
}
