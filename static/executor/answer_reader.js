// @ts-check
/**
 * Reads a Response with a byte cap, so that a huge answer never fills the memory. Pure but for the stream it reads.
 *
 * Text over its cap is cut at a character boundary; a binary answer over its cap is given up (`too_large`), since half
 * a file is of no use. A stream of events or lines may never end: what has come by `until` is its answer, cut.
 */

import {
  decodeChunks,
  essenceOf,
  HEAD_BYTES,
  isTextLike,
  isUnlabelledJson,
  looksLikeText,
  reportedType,
  statedType,
} from "../base/content_type.js";

/** @typedef {import("../types/types.d.ts").Limits} Limits */
/** @typedef {import("../types/types.d.ts").ReadBody} ReadBody */

/** Maximum characters of a status text and a content type (bridge/browser_protocol.py). */
const STATUS_TEXT_CHARS = 200;
const CONTENT_TYPE_CHARS = 300;

/** Milliseconds before the deadline at which a stream of events is cut, so that its answer still arrives in time. */
const STREAM_MARGIN_MS = 3000;
const STREAM_SHARE = 0.85;
/** Milliseconds for which a stream of events is read. @param {{deadline_ms: number}} call */
export const streamTime = ({ deadline_ms }) => Math.max(deadline_ms - STREAM_MARGIN_MS, deadline_ms * STREAM_SHARE);

/** Types whose answers may go on for ever. */
const ENDLESS =
  /^(text\/event-stream|application\/(x-)?ndjson|application\/(x-)?jsonl|application\/jsonlines|application\/json-seq|application\/x-json-stream|.*\+json-seq)$/;

/** Whether answers of a type may go on for ever. @param {string} type without parameters */
export const isEndless = (type) => ENDLESS.test(type);

/** Why a stream is cut when its user stops it: the reason of the signal. */
export const STOPPED_BY_USER = "stop";

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
 * @param {(chunk: Uint8Array) => void} [note] called for every piece as it comes
 * @returns {Promise<ReadBody>}
 * @throws {TypeError | DOMException} as the stream does, when the connection breaks or the signal aborts
 */
export async function readAnswer(response, limits, until, note = () => undefined) {
  const announced = announcedLength(response);
  if (response.body === null) return emptyBody(announced);
  const contentType = statedType(response.headers);
  const reader = notingReader(response.body.getReader(), note);
  const stopped = isEndless(essenceOf(contentType)) ? endOf(until) : undefined;
  const first = await nextChunk(reader, stopped);
  if (first === undefined) return emptyBody(announced);
  if (first === "stop" || first === "time")
    return { kind: "text", text: "", bytes: 0, total_bytes: null, truncated: true, cut_by: first };
  const type = isTextLike(contentType);
  const isText = type ?? looksLikeText(first);
  const read = await readUpTo(reader, first, isText ? limits.result_bytes : limits.file_bytes, stopped);
  const total_bytes = read.cutBy ? (announced !== null && announced > read.bytes ? announced : null) : read.bytes;
  if (type === true) return decodeText(read, contentType, limits.result_bytes, total_bytes);
  return readUnlabelled(response.headers, read, { isText, cap: limits.result_bytes, total_bytes });
}

/** @param {number | null} total_bytes @returns {ReadBody} */
const emptyBody = (total_bytes) => ({ kind: "empty", bytes: 0, total_bytes, truncated: false });

/**
 * An answer whose type does not say that it is text.
 * @param {Headers} headers
 * @param {Read} read
 * @param {{isText: boolean, cap: number, total_bytes: number | null}} how `isText`: it looks so at its beginning
 * @returns {ReadBody}
 */
function readUnlabelled(headers, read, { isText, cap, total_bytes }) {
  const { chunks, bytes, cutBy } = read;
  const contentType = statedType(headers);
  const content = joinChunks(chunks, bytes);
  if (isText && looksLikeText(content)) return decodeText(read, contentType, cap, total_bytes);
  if (cutBy) return { kind: "too_large", bytes, total_bytes, truncated: true };
  if (isUnlabelledJson(headers, content)) return decodeText(read, contentType, cap, total_bytes);
  return { kind: "file", content, bytes, total_bytes, truncated: false };
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
  const { chunks, bytes, cutBy } = await readUpTo(reader, first.value, cap);
  return cutBy ? null : joinChunks(chunks, bytes);
}

/** Why a stream was cut before its end. @typedef {"time" | "stop"} Stopped */
/** @typedef {Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">} Reader */

/** @param {AbortSignal | undefined} signal @returns {Promise<Stopped>} */
function endOf(signal) {
  return new Promise((resolve) => {
    const end = () => resolve(signal?.reason === STOPPED_BY_USER ? "stop" : "time");
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** @param {Reader} reader @param {(chunk: Uint8Array) => void} note @returns {Reader} */
function notingReader(reader, note) {
  const read = async () => {
    const next = await reader.read();
    if (next.value) note(next.value);
    return next;
  };
  return { read, cancel: (reason) => reader.cancel(reason) };
}

/**
 * @param {Reader} reader
 * @param {Promise<Stopped>} [stopped]
 * @returns {Promise<Uint8Array | Stopped | undefined>} undefined: the end
 */
async function nextChunk(reader, stopped) {
  const read = reader.read().then(({ value }) => value);
  if (stopped === undefined) return read;
  const next = await Promise.race([read, stopped]);
  if (typeof next === "string") void reader.cancel().catch(() => undefined);
  return next;
}

/** @typedef {{chunks: Uint8Array[], bytes: number, cutBy: "size" | Stopped | null}} Read */

/**
 * @param {Reader} reader
 * @param {Uint8Array} first
 * @param {number} cap
 * @param {Promise<Stopped>} [stopped]
 * @returns {Promise<Read>}
 */
async function readUpTo(reader, first, cap, stopped) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let bytes = 0;
  /** @type {Uint8Array | Stopped | undefined} */
  let chunk = first;
  while (chunk !== undefined) {
    if (typeof chunk === "string") return { chunks, bytes, cutBy: chunk };
    const room = cap - bytes;
    if (chunk.byteLength > room) {
      chunks.push(chunk.subarray(0, room));
      void reader.cancel().catch(() => undefined);
      return { chunks, bytes: cap, cutBy: "size" };
    }
    chunks.push(chunk);
    bytes += chunk.byteLength;
    chunk = await nextChunk(reader, stopped);
  }
  return { chunks, bytes, cutBy: null };
}

/**
 * @param {Uint8Array[]} chunks
 * @param {number} bytes
 */
function joinChunks(chunks, bytes) {
  const content = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    content.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return content;
}

/** The beginning of what was read, however small its chunks. @param {Uint8Array[]} chunks */
function headOf(chunks) {
  let bytes = 0;
  const count = chunks.findIndex(({ byteLength }) => (bytes += byteLength) >= HEAD_BYTES) + 1;
  return joinChunks(count > 0 ? chunks.slice(0, count) : chunks, bytes);
}

/**
 * @param {Read} read
 * @param {string} contentType
 * @param {number} cap in bytes of UTF-8, whatever the charset on the wire
 * @param {number | null} total_bytes
 * @returns {ReadBody}
 */
function decodeText({ chunks, cutBy }, contentType, cap, total_bytes) {
  const { text, ...guessed } = decodeChunks(chunks, contentType, { beginning: headOf(chunks), isCut: cutBy !== null });
  const cut = cutText(text, cap);
  const cut_by = cutBy ?? (cut.isCut ? "size" : null);
  return {
    kind: "text",
    text: cut.text,
    bytes: cut.bytes,
    total_bytes,
    truncated: cut_by !== null,
    cut_by,
    ...guessed,
  };
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

/** An answer without its body. @param {Response} response @param {ReadBody} body @param {(text: string) => string} redact */
export function answerHead(response, body, redact) {
  return {
    http_status: response.status,
    status_text: redact(response.statusText).slice(0, STATUS_TEXT_CHARS),
    content_type: redact(reportedType(response.headers, body)).slice(0, CONTENT_TYPE_CHARS),
    headers: Object.fromEntries([...response.headers].map(([name, value]) => [name, redact(value)])),
  };
}

/** @param {Exclude<ReadBody, {kind: "too_large"}>} body */
export function bodySize(body) {
  const { bytes, total_bytes } = body;
  return { bytes, total_bytes, cut_by: body.kind === "text" ? body.cut_by : null };
}
