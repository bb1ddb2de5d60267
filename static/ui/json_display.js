// @ts-check
/** JSON for people: indented text. Pure. */
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/**
 * Pretty JSON without losing digits.
 * @param {JsonValue} value
 * @param {string} [indent]
 * @returns {string}
 */
export function prettyJson(value, indent = "") {
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((member) => inner + prettyJson(member, inner)).join(",\n")}\n${indent}]`;
  }
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    const lines = Object.entries(value).map(
      ([name, member]) => `${inner}${JSON.stringify(name)}: ${prettyJson(member, inner)}`,
    );
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  return stringifyJson(value);
}
