// @ts-check
/** Looking for a document at many places. Pure but for what reads them. */
import { looksLikeDocument } from "./document_places.js";

/** @typedef {import("./document_places.js").Place} Place */

/** Milliseconds of a whole search: enough for every place where a document usually is; a server that does not answer must not be waited for. */
export const SEARCH_MS = 15_000;
const AT_ONCE = 4;

/**
 * Ends with the first few places of which any has one: the likeliest come first.
 * @param {string[]} places
 * @param {(url: string) => Promise<{text: string, source_url: string} | null>} read null: there is nothing to read
 * @returns {Promise<Place[]>}
 */
export async function findDocuments(places, read) {
  for (let start = 0; start < places.length; start += AT_ONCE) {
    const texts = await Promise.all(places.slice(start, start + AT_ONCE).map(read));
    const found = texts.filter((read) => read !== null).filter(({ text }) => looksLikeDocument(text));
    if (found.length > 0)
      return withoutTwins(found).map(({ text, source_url }) => ({ url: source_url, title: titleOf(text) }));
  }
  return [];
}

/** The same text at two places is one document. @template {{text: string}} T @param {T[]} found @returns {T[]} */
const withoutTwins = (found) =>
  found.filter(({ text }, index) => found.findIndex((other) => other.text === text) === index);

/** @param {string} text @returns {string} as it stands, "" where it is not plain */
function titleOf(text) {
  const info = /["']?info["']?\s*:([^]{0,2000})/.exec(text)?.[1] ?? "";
  return /["']?title["']?\s*:\s*["']?([^"'\r\n,}]{1,80})/.exec(info)?.[1].trim() ?? "";
}
