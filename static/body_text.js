// @ts-check
/** Values as text of a media type: JSON, anything else that is text, and sequences of JSON. Pure. */

import { stringifyJson } from "./json_text.js";

/** @typedef {import("./types.d.ts").JsonValue} JsonValue */

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
