// @ts-check
/** Where a value stands in JSON, and how it is shown in one line. Pure. */
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {[string, JsonValue][]} Members  names, or positions as texts, and values */

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;
const PREVIEW_CHARS = 80;

/** One step further, as JSONPath (RFC 9535). @param {string} path @param {string | number} step */
export function pathBelow(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  return PLAIN_NAME.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
}

/** @param {JsonValue} value @returns {value is JsonValue[] | {[name: string]: JsonValue}} */
export function isContainer(value) {
  return typeof value === "object" && value !== null;
}

/** How many values are directly inside. @param {JsonValue} value */
export function countMembers(value) {
  if (!isContainer(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** Some of what is inside, without listing all of it. @param {JsonValue} value @param {number} from @param {number} count @returns {{step: string | number, value: JsonValue}[]} */
export function membersOf(value, from, count) {
  if (!isContainer(value)) return [];
  if (Array.isArray(value))
    return value.slice(from, from + count).map((member, index) => ({ step: from + index, value: member }));
  return Object.keys(value)
    .slice(from, from + count)
    .map((name) => ({ step: name, value: value[name] }));
}

/** The beginning of a value in one line, for what is folded. @param {JsonValue} value */
export function previewOf(value) {
  if (!isContainer(value)) return stringifyJson(value);
  const inside = membersOf(value, 0, 8).map(({ step, value: member }) => {
    const short = isContainer(member) ? (Array.isArray(member) ? "[…]" : "{…}") : shorten(stringifyJson(member), 24);
    return typeof step === "number" ? short : `${step}: ${short}`;
  });
  const words = shorten(inside.join(", "), PREVIEW_CHARS);
  return Array.isArray(value) ? `[${words}]` : `{${words}}`;
}

/** @param {string} text @param {number} most */
export function shorten(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** What a copy of a value is: a text as it is, everything else as JSON. @param {JsonValue} value */
export function copyOf(value) {
  return typeof value === "string" ? value : stringifyJson(value);
}
