// @ts-check
/** Parts that all forms of recorded requests share: addresses, media types, forms. Pure. */

import { t, verbatim } from "../base/language.js";

/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedBody} RecordedBody */

/** Not understood: what it is, and why. */
export class ConversionError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = verbatim("ConversionError");
  }
}

/** @param {string | undefined} type @returns {string} without parameters, in lower case */
export const bareType = (type) => (type ?? "").split(";", 1)[0].trim().toLowerCase();

/** @param {string} text @returns {string} */
function decodeText(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** @param {string} text of a query or form @returns {[string, string][]} */
export function readPairs(text) {
  return text
    .split("&")
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [decodeText(pair), ""] : [decodeText(pair.slice(0, at)), decodeText(pair.slice(at + 1))];
    });
}

/**
 * An address whose parts may be placeholders: `{name}` stays as it is.
 * @param {string} text
 * @returns {{origin: string, path: string, query: [string, string][]}} origin "": only a placeholder names it
 */
export function splitAddress(text) {
  const [address] = text.trim().split("#", 1);
  const at = address.indexOf("?");
  const [place, query] = at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
  const found = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/]*)(.*)$/is.exec(place);
  const [scheme, host, path] = [found?.[1]?.toLowerCase() ?? "http", found?.[2] ?? "", found?.[3] ?? ""];
  if (scheme !== "http" && scheme !== "https")
    throw new ConversionError(t`Only http and https requests can be taken over, not ${scheme}.`);
  const isKnown = host !== "" && !host.includes("{") && URL.canParse(`${scheme}://${host.replace(/^.*@/, "")}`);
  return {
    origin: isKnown ? new URL(`${scheme}://${host.replace(/^.*@/, "")}`).origin : "",
    path: decodePath(path),
    query: readPairs(query),
  };
}

/** @param {string} path @returns {string} */
function decodePath(path) {
  const segments = path.split("/").map((segment) => segment.replace(/%7B/gi, "{").replace(/%7D/gi, "}"));
  return segments.join("/") || "/";
}

/** @param {Partial<RecordedRequest>} known @returns {RecordedRequest} */
export function requestOf(known) {
  return {
    method: "GET",
    origin: "",
    path: "/",
    query: [],
    headers: [],
    body: null,
    name: "",
    description: "",
    folder: "",
    answers: [],
    security: null,
    ...known,
  };
}

/** @param {string} type @param {string} text @returns {RecordedBody} */
export function textBody(type, text) {
  if (type === "application/x-www-form-urlencoded")
    return formBody(
      type,
      readPairs(text).map(([name, value]) => ({ name, value, is_file: false })),
    );
  const guessed = type || (/^\s*[[{]/.test(text) ? "application/json" : "text/plain");
  return { type: guessed, text, fields: [] };
}

/** @param {string} type @param {RecordedBody["fields"]} fields @returns {RecordedBody} */
export const formBody = (type, fields) => ({ type, text: null, fields });

/** @param {[string, string][]} headers @param {string} name in lower case @returns {string} */
export function headerOf(headers, name) {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? "";
}
