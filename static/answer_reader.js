// @ts-check
/**
 * Reads a Response with a byte cap, so that a huge answer never fills the memory. Pure but for the stream it reads.
 *
 * Text over its cap is cut at a character boundary; a binary answer over its cap is given up (`too_large`), since half
 * a file is of no use. A stream of events or lines may never end: what has come by `until` is its answer, cut.
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

/** Types whose answers may go on for ever. */
const ENDLESS = /^(text\/event-stream|application\/(x-)?ndjson|application\/(x-)?jsonl|application\/json-seq|application\/x-json-stream|.*\+json-seq)$/;

/** How far into a text its own word on the charset is looked for, as browsers do. */
const HEAD_BYTES = 1024;
const DECLARED = [
  { types: /^(text\/html|application\/xhtml\+xml)$/, charset: /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i },
  { types: /[/+]xml$/, charset: /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i },
];

/**
 * The byte order mark, else the header, else the document's own declaration, else UTF-8.
 * @param {string} contentType
 * @param {Uint8Array} beginning
 */
function charsetOf(contentType, beginning) {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return "utf-16be";
  const told = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
  if (told) return told;
  const head = Array.from(beginning.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join("");
  const declared = DECLARED.find(({ types }) => types.test(essence(contentType)))?.charset.exec(head)?.[1];
  return declared && !/^utf-16/i.test(declared) ? declared : "utf-8";
}

/** @param {string} contentType @param {Uint8Array} beginning */
function charsetDecoder(contentType, beginning) {
  const label = charsetOf(contentType, beginning);
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
 * @returns {number | null} as announced; null when unknown, or when the stream we see is decompressed. Across origins a
 *   page cannot see `Content-Encoding`, so there no announced length of an answer with a body can be trusted.
 */
function announcedLength(response) {
  const text = response.headers.get("content-length");
  if (text === null || !/^\d+$/.test(text) || response.headers.has("content-encoding")) return null;
  return response.type === "cors" && response.body !== null ? null : Number(text);
}

/**
 * Cancelling: abort the fetch's signal; the read rejects with its reason.
 * @param {Response} response
 * @param {Limits} limits
 * @param {AbortSignal} [until] when it aborts, an endless answer is taken as it is
 * @returns {Promise<ReadBody>}
 * @throws {TypeError | DOMException} as the stream does, when the connection breaks or the signal aborts
 */
export async function readAnswer(response, limits, until) {
  const announced = announcedLength(response);
  if (response.body === null) return { kind: "empty", bytes: 0, total_bytes: announced, truncated: false };
  const contentType = response.headers.get("content-type") ?? "";
  const reader = response.body.getReader();
  const stopped = ENDLESS.test(essence(contentType)) ? endOf(until) : undefined;
  const first = await nextChunk(reader, stopped);
  if (first === undefined) return { kind: "empty", bytes: 0, total_bytes: announced, truncated: false };
  if (first === STOPPED) return { kind: "text", text: "", bytes: 0, total_bytes: null, truncated: true };
  const isText = isTextLike(contentType) ?? looksLikeText(first);
  const cap = isText ? limits.result_bytes : limits.file_bytes;
  const { chunks, bytes, isCut } = await readUpTo(reader, first, cap, stopped);
  const total_bytes = isCut ? (announced !== null && announced > bytes ? announced : null) : bytes;
  if (!isText && isCut) return { kind: "too_large", bytes, total_bytes, truncated: true };
  if (!isText) return { kind: "file", content: joined(chunks, bytes), bytes, total_bytes, truncated: false };
  return { ...decode(chunks, contentType, cap, isCut), total_bytes };
}

/**
 * @param {Response} response
 * @param {number} cap
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>} null: larger than `cap`
 */
export async function readBytes(response, cap) {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  if (!reader || first?.value === undefined) return new Uint8Array();
  const { chunks, bytes, isCut } = await readUpTo(reader, first.value, cap);
  return isCut ? null : joined(chunks, bytes);
}

const STOPPED = Symbol("stopped");

/** @param {AbortSignal | undefined} signal @returns {Promise<typeof STOPPED>} */
function endOf(signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(STOPPED);
    else signal?.addEventListener("abort", () => resolve(STOPPED), { once: true });
  });
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {Promise<typeof STOPPED>} [stopped]
 * @returns {Promise<Uint8Array | typeof STOPPED | undefined>} undefined: the end
 */
async function nextChunk(reader, stopped) {
  const read = reader.read().then(({ value }) => value);
  if (stopped === undefined) return read;
  const next = await Promise.race([read, stopped]);
  if (next === STOPPED) void reader.cancel().catch(() => undefined);
  return next;
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {Uint8Array} first
 * @param {number} cap
 * @param {Promise<typeof STOPPED>} [stopped]
 */
async function readUpTo(reader, first, cap, stopped) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let bytes = 0;
  /** @type {Uint8Array | typeof STOPPED | undefined} */
  let chunk = first;
  while (chunk !== undefined) {
    if (chunk === STOPPED) return { chunks, bytes, isCut: true };
    const room = cap - bytes;
    if (chunk.byteLength > room) {
      chunks.push(chunk.subarray(0, room));
      void reader.cancel().catch(() => undefined);
      return { chunks, bytes: cap, isCut: true };
    }
    chunks.push(chunk);
    bytes += chunk.byteLength;
    chunk = await nextChunk(reader, stopped);
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
  const decoder = charsetDecoder(contentType, chunks[0]);
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
