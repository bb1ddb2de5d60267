// @ts-check
/**
 * Reads a Response with a byte cap, so that a huge answer never fills the memory. Pure but for the stream it reads.
 *
 * Text over its cap is cut at a character boundary; a binary answer over its cap is given up (`too_large`), since half
 * a file is of no use.
 */

/** @typedef {import("./types.d.ts").Limits} Limits */
/** @typedef {import("./types.d.ts").ReadBody} ReadBody */

const TEXT_TYPES = new Set([
  "application/json",
  "application/ecmascript",
  "application/graphql",
  "application/javascript",
  "application/jsonl",
  "application/ndjson",
  "application/sql",
  "application/toml",
  "application/x-javascript",
  "application/x-json-stream",
  "application/x-ndjson",
  "application/x-sh",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/xml-dtd",
  "application/yaml",
  "image/svg+xml",
  "message/http",
  "message/rfc822",
]);
const TEXT_SUFFIX = /\+(json|xml|yaml|json-seq)$/;

/** @param {string} contentType lower-case type without parameters */
export function essence(contentType) {
  return contentType.split(";", 1)[0].trim().toLowerCase();
}

/**
 * @param {string} contentType
 * @returns {boolean | null} null: the type does not say (missing)
 */
export function isTextLike(contentType) {
  const type = essence(contentType);
  if (type === "") return null;
  return type.startsWith("text/") || TEXT_TYPES.has(type) || TEXT_SUFFIX.test(type);
}

/** @param {string} contentType */
function charsetDecoder(contentType) {
  const label = /;\s*charset\s*=\s*"?([^";\s]+)"?/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("utf-8");
  }
}

/**
 * Without a content type: text when the beginning is UTF-8 without NUL, else a file.
 * @param {Uint8Array} beginning
 */
function looksLikeText(beginning) {
  if (beginning.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(beginning, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {Response} response
 * @returns {number | null} as announced; null when unknown, or when the stream we see is decompressed
 */
function announcedLength(response) {
  const text = response.headers.get("content-length");
  if (text === null || !/^\d+$/.test(text) || response.headers.has("content-encoding")) return null;
  return Number(text);
}

/**
 * Cancelling: abort the fetch's signal; the read rejects with its reason.
 * @param {Response} response
 * @param {Limits} limits
 * @returns {Promise<ReadBody>}
 * @throws {TypeError | DOMException} as the stream does, when the connection breaks or the signal aborts
 */
export async function readAnswer(response, limits) {
  const announced = announcedLength(response);
  if (response.body === null) return { kind: "empty", bytes: 0, total_bytes: announced, truncated: false };
  const contentType = response.headers.get("content-type") ?? "";
  const reader = response.body.getReader();
  const first = await reader.read();
  if (first.done) return { kind: "empty", bytes: 0, total_bytes: announced, truncated: false };
  const isText = isTextLike(contentType) ?? looksLikeText(first.value);
  const cap = isText ? limits.result_bytes : limits.file_bytes;
  const { chunks, bytes, isCut } = await readUpTo(reader, first.value, cap);
  const total_bytes = isCut ? (announced !== null && announced > bytes ? announced : null) : bytes;
  if (!isText && isCut) return { kind: "too_large", bytes, total_bytes, truncated: true };
  if (!isText) return { kind: "file", content: joined(chunks, bytes), bytes, total_bytes, truncated: false };
  return { ...decode(chunks, contentType, cap, isCut), total_bytes };
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {Uint8Array} first
 * @param {number} cap
 */
async function readUpTo(reader, first, cap) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let bytes = 0;
  /** @type {Uint8Array | undefined} */
  let chunk = first;
  while (chunk !== undefined) {
    const room = cap - bytes;
    if (chunk.byteLength > room) {
      chunks.push(chunk.subarray(0, room));
      void reader.cancel().catch(() => undefined);
      return { chunks, bytes: cap, isCut: true };
    }
    chunks.push(chunk);
    bytes += chunk.byteLength;
    chunk = (await reader.read()).value;
  }
  return { chunks, bytes, isCut: false };
}

/**
 * @param {Uint8Array[]} chunks
 * @param {number} bytes
 */
function joined(chunks, bytes) {
  const content = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    content.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return content;
}

/**
 * @param {Uint8Array[]} chunks
 * @param {string} contentType
 * @param {number} cap in bytes of UTF-8, whatever the charset on the wire
 * @param {boolean} isCut
 * @returns {{kind: "text", text: string, bytes: number, truncated: boolean}}
 */
function decode(chunks, contentType, cap, isCut) {
  const decoder = charsetDecoder(contentType);
  let text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  if (!isCut) text += decoder.decode();
  const cut = cutText(text, cap);
  return { kind: "text", text: cut.text, bytes: cut.bytes, truncated: isCut || cut.isCut };
}

/**
 * The longest beginning of `text` that fits into `cap` bytes of UTF-8, never half a character.
 * @param {string} text
 * @param {number} cap
 * @returns {{text: string, bytes: number, isCut: boolean}}
 */
export function cutText(text, cap) {
  const room = new Uint8Array(Math.min(cap, text.length * 3));
  const { read, written } = new TextEncoder().encodeInto(text, room);
  return { text: text.slice(0, read), bytes: written, isCut: read < text.length };
}
