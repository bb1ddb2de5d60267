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
const SILENT_TYPES = new Set(["application/octet-stream", "binary/octet-stream", "application/unknown", "application/x-unknown"]);

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
  if (!SILENT_TYPES.has(essenceOf(headers.get("content-type") ?? ""))) return false;
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
 * The byte order mark, else the header, else the document's own declaration, else UTF-8.
 * @param {string} contentType
 * @param {Uint8Array} beginning the first `HEAD_BYTES`, or all
 */
function charsetOf(contentType, beginning) {
  if (beginning[0] === 0xef && beginning[1] === 0xbb && beginning[2] === 0xbf) return "utf-8";
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return "utf-16be";
  const stated = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
  if (stated) return stated;
  const head = Array.from(beginning.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join("");
  const declared = DECLARED.find(({ types }) => types.test(essenceOf(contentType)))?.charset.exec(head)?.[1];
  return declared && !/^utf-16/i.test(declared) ? declared : "utf-8";
}

/** @param {string} contentType @param {Uint8Array} beginning @returns {TextDecoder} of UTF-8, where nobody knows the charset */
export function charsetDecoder(contentType, beginning) {
  const label = charsetOf(contentType, beginning);
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("utf-8");
  }
}
