// @ts-check
/** The edge where messages of a page are checked; behind it their fields are what protocol.js says. Pure. */

import { isOrigin } from "./addresses.js";
import { CHUNK_BYTES, ID_PATTERN } from "./protocol.js";

/** @typedef {import("./protocol.js").PageMessage} PageMessage */
/** @typedef {(value: unknown) => boolean} Check */

const METHOD = /^[A-Z][A-Z-]{0,31}$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A host has at most 253. */
const ORIGIN_CHARS = 300;
/** Bytes as characters, without line ends, null and space around. */
const HEADER_VALUE = /^(?![ \t])[^\0\r\n\u0100-\uffff]*(?<![ \t])$/;

/** @type {Check} */
const isId = (value) => typeof value === "string" && ID_PATTERN.test(value);
/** @type {Check} */
const isText = (value) => typeof value === "string";
/** @type {Check} */
const isBoolean = (value) => typeof value === "boolean";
/** @type {Check} */
const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @type {Check} */
const isChunk = (value) => value instanceof ArrayBuffer && value.byteLength <= CHUNK_BYTES;
/** @type {Check} */
const isHeader = (value) =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every(isText) &&
  TOKEN.test(value[0]) &&
  HEADER_VALUE.test(value[1]);

/** @type {Check} */
const isApi = (value) => isOrigin(value) && value.length <= ORIGIN_CHARS;

/** @type {Record<PageMessage["type"], Record<string, Check>>} */
const FIELDS = {
  hello: { protocols: (value) => Array.isArray(value) && value.every(isCount) },
  call: {
    id: isId,
    method: (value) => isText(value) && METHOD.test(String(value)),
    url: (value) => isText(value) && URL.canParse(String(value)),
    headers: (value) => Array.isArray(value) && value.every(isHeader),
    body: (value) => value === null || isCount(value) || isChunk(value),
    login: isBoolean,
  },
  part: { id: isId, seq: isCount, bytes: isChunk },
  ack: { id: isId, seq: isCount },
  cancel: { id: isId },
  did: { id: isId },
  ping: {},
  ask: { id: isId, api: isApi, login: isBoolean, methods: (value) => value === "safe" || value === "all" },
};

/** @param {unknown} message @returns {message is Record<string, unknown> & {type: PageMessage["type"]}} */
const hasKnownType = (message) =>
  typeof message === "object" && message !== null && "type" in message && Object.hasOwn(FIELDS, String(message.type));

/** @param {unknown} message @returns {{message: PageMessage} | {id: string, fault: string}} `fault`: a sentence */
export function readMessage(message) {
  if (!hasKnownType(message)) return { id: "", fault: "The message has no type that the companion knows." };
  const wrong = Object.entries(FIELDS[message.type]).find(([name, check]) => !check(message[name]));
  if (!wrong) return { message: /** @type {PageMessage} */ (/** @type {unknown} */ (message)) };
  return {
    id: isId(message.id) ? String(message.id) : "",
    fault: `"${wrong[0]}" of "${message.type}" is missing or malformed.`,
  };
}
