// @ts-check
/**
 * Whether an answer is text, and in which charset: from its type, and where that says nothing, from its beginning. Pure.
 *
 * Sniffing is for types that say nothing, and never makes more of a text than a text: markup stays text in any case.
 */

const TEXT_TYPES = new Set([
  "application/json",
  "application/csv",
  "application/ecmascript",
  "application/graphql",
  "application/javascript",
  "application/jsonl",
  "application/jsonlines",
  "application/ld+json",
  "application/ndjson",
  "application/sparql-query",
  "application/sql",
  "application/toml",
  "application/x-javascript",
  "application/x-json",
  "application/x-json-stream",
  "application/x-jsonl",
  "application/x-ndjson",
  "application/x-sh",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/xml-dtd",
  "application/yaml",
  "application/json-seq",
  "image/svg+xml",
  "message/http",
  "message/rfc822",
]);
const TEXT_SUFFIX = /\+(json|xml|yaml|json-seq)$/;

/** Types of those who do not know: text if all of it is JSON, and no download. */
const SILENT_TYPES = new Set([
  "application/octet-stream",
  "binary/octet-stream",
  "application/unknown",
  "application/x-unknown",
]);

/** Parts of a header that was sent several times, or by several programs; commas in quotes divide nothing. */
const SENT = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const VALID = /^\s*[!#$%&'+.^_`|~\w-]+\/[!#$%&'+.^_`|~\w-]+\s*(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*("[^"]*"|[^\s;]+)/i;

/**
 * The type of an answer as browsers take it: of several the last valid one, which keeps the charset that the same type had
 * before (Fetch standard, "extract a MIME type"). Proxies add a second one.
 * @param {Headers} headers
 * @returns {string} as it was sent where none is valid
 */
export function statedType(headers) {
  const sent = headers.get("content-type") ?? "";
  let stated = "";
  for (const part of (sent.match(SENT) ?? []).filter((text) => VALID.test(text))) {
    const isSame = essenceOf(part) === essenceOf(stated);
    const charset = isSame && !CHARSET.test(part) ? (CHARSET.exec(stated)?.[0] ?? "") : "";
    stated = part.trim() + charset;
  }
  return stated || sent;
}

/** What a caller is told of the type: the charset too, if the answer was read in one that it does not declare. @param {Headers} headers @param {import("../types/types.d.ts").ReadBody} body */
export function reportedType(headers, body) {
  const stated = statedType(headers);
  return body.kind === "text" && body.charset ? `${stated.replace(CHARSET, "")}; charset=${body.charset}` : stated;
}

/** @param {string} contentType lower-case type without parameters */
export function essenceOf(contentType) {
  return contentType.split(";", 1)[0].trim().toLowerCase();
}

/**
 * @param {string} contentType
 * @returns {boolean | null} null: the type does not say (missing)
 */
export function isTextLike(contentType) {
  const type = essenceOf(contentType);
  if (type === "" || type.startsWith("multipart/")) return null;
  return type.startsWith("text/") || TEXT_TYPES.has(type) || TEXT_SUFFIX.test(type);
}

/**
 * Without a type: text when it is UTF-8 without NUL. Parts of a multipart answer may be text or not, so the same holds.
 * @param {Uint8Array} content or its beginning
 */
export function looksLikeText(content) {
  if (content.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(content, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether bytes of a type that says nothing are one JSON object or array, from first to last, and not meant as a download.
 * @param {Headers} headers
 * @param {Uint8Array} content the whole
 */
export function isUnlabelledJson(headers, content) {
  if (!SILENT_TYPES.has(essenceOf(statedType(headers)))) return false;
  if (/^\s*attachment/i.test(headers.get("content-disposition") ?? "")) return false;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return /^\s*[[{]/.test(text) && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** How far into a text its own word on the charset is looked for, as browsers do. */
export const HEAD_BYTES = 1024;
const DECLARED = [
  { types: /^(text\/html|application\/xhtml\+xml)$/, charset: /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i },
  { types: /[/+]xml$/, charset: /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i },
];

/**
 * The byte order mark, else the header, else the document's own declaration.
 * @param {string} contentType
 * @param {Uint8Array} beginning the first `HEAD_BYTES`, or all
 * @returns {string} "": nobody says
 */
function charsetOf(contentType, beginning) {
  if (beginning[0] === 0xef && beginning[1] === 0xbb && beginning[2] === 0xbf) return "utf-8";
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return "utf-16be";
  const stated = CHARSET.exec(contentType)?.[1].replace(/["']/g, "");
  if (stated) return stated;
  const head = Array.from(beginning.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join("");
  const declared = DECLARED.find(({ types }) => types.test(essenceOf(contentType)))?.charset.exec(head)?.[1];
  return declared && !/^utf-16/i.test(declared) ? declared : "";
}

/** What browsers read bytes as that are not UTF-8 and declare nothing: it takes every byte. */
const FALLBACK = "windows-1252";

/**
 * @param {Uint8Array[]} chunks
 * @param {string} contentType
 * @param {{beginning: Uint8Array, isCut: boolean}} how `isCut`: a character that is not whole at the end is dropped
 * @returns {{text: string, charset?: string}} `charset`: as it was read, where nobody declared that
 */
export function decodeChunks(chunks, contentType, { beginning, isCut }) {
  const label = charsetOf(contentType, beginning);
  const decode = (/** @type {TextDecoder} */ decoder) =>
    chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + (isCut ? "" : decoder.decode());
  try {
    return { text: decode(new TextDecoder(label || "utf-8", { fatal: label === "" })) };
  } catch {
    const text = decode(new TextDecoder());
    return isMostlyUtf8(text) ? { text } : { text: decode(new TextDecoder(FALLBACK)), charset: FALLBACK };
  }
}

/** A broken sign in a text of UTF-8 must not cost all the others. @param {string} text read as UTF-8 */
function isMostlyUtf8(text) {
  const broken = text.split("\ufffd").length - 1;
  return broken === 0 || (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0) >= broken;
}
