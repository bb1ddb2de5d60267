// @ts-check
/** Values as text of a media type: JSON, anything else that is text, and sequences of JSON; and its charset. Pure. */

import { stringifyJson } from "../base/json_text.js";
import { RequestError } from "./request_error.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */

/** Charsets besides UTF-8 that need no table, with the last character they know. */
const NARROW = new Map([
  ["us-ascii", 0x7f],
  ["ascii", 0x7f],
  ["iso-8859-1", 0xff],
  ["latin1", 0xff],
]);

/** @param {string} contentType */
export function isJson(contentType) {
  const essence = contentType.split(";", 1)[0].trim().toLowerCase();
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

/**
 * @param {JsonValue} value
 * @param {string} contentType
 * @returns {string} JSON text for JSON types; else a string as it is and any other value as its JSON text
 */
export function textOf(value, contentType) {
  return typeof value === "string" && !isJson(contentType) ? value : stringifyJson(value);
}

/**
 * One JSON text per line; for the json-seq types each begins with RS (RFC 7464).
 * @param {JsonValue} value
 * @param {string} contentType
 */
export function writeSequence(value, contentType) {
  if (typeof value === "string") return value;
  const start = /json-seq\s*(;|$)/i.test(contentType) ? "\u001E" : "";
  return (Array.isArray(value) ? value : [value]).map((item) => `${start}${stringifyJson(item)}\n`).join("");
}

const EVENT_FIELDS = ["event", "id", "retry", "data"];

/**
 * Server-sent events, each an object of its fields (OpenAPI 3.2 §4.14.4.4); any other value is the data of one.
 * @param {JsonValue} value
 * @param {string} [argument] whose fault it is
 * @throws {RequestError} invalid_arguments: a line break where it would begin another field
 */
export function writeEvents(value, argument = "body") {
  if (typeof value === "string") return value;
  return (Array.isArray(value) ? value : [value])
    .map((item) => `${eventLines(item, argument).join("\n")}\n\n`)
    .join("");
}

/** @param {JsonValue} item @param {string} argument @returns {string[]} */
function eventLines(item, argument) {
  const keys = typeof item === "object" && item !== null && !Array.isArray(item) ? Object.keys(item) : [];
  const isEvent = keys.length > 0 && keys.every((key) => EVENT_FIELDS.includes(key));
  return Object.entries(isEvent ? (item ?? {}) : { data: item }).flatMap(([name, content]) => {
    if (isEvent && content === null) return [];
    const lines = (typeof content === "string" ? content : stringifyJson(content)).split(/\r\n|[\r\n]/);
    if (lines.length > 1 && name !== "data")
      throw new RequestError("invalid_arguments", `"${name}" of an event must be one line.`, argument);
    return lines.map((line) => `${name}: ${line}`);
  });
}

/**
 * @param {string} text
 * @param {string} contentType
 * @param {string} [argument] whose fault it is
 * @returns {string | Uint8Array<ArrayBuffer>} bytes where the type names a charset that is not UTF-8
 * @throws {RequestError} unsendable: a charset nobody here knows; invalid_arguments: a character it does not have
 */
export function inCharset(text, contentType, argument = "body") {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1].toLowerCase() ?? "utf-8";
  if (/^utf-?8$/.test(charset)) return text;
  const last = NARROW.get(charset);
  if (last === undefined) throw new RequestError("unsendable", `This page cannot write text as ${charset}.`, argument);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    bytes[index] = text.charCodeAt(index);
    if (text.charCodeAt(index) > last)
      throw new RequestError(
        "invalid_arguments",
        `"${argument}" holds a character that ${charset} does not have.`,
        argument,
      );
  }
  return bytes;
}
