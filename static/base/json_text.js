// @ts-check
/** JSON text in and out without losing integers beyond 2^53: they are BigInt inside, digits outside. Pure. */

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** A prefix no document can contain on purpose: it is new for every call. */
function freshMark() {
  return `integer-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;
}

/** @param {string} digits */
const isUnsafe = (digits) => INTEGER.test(digits) && !Number.isSafeInteger(Number(digits));

/**
 * Integers outside ±(2^53 - 1) become BigInt; everything else is as `JSON.parse` gives it.
 * @param {string} text
 * @returns {JsonValue}
 * @throws {SyntaxError} when the text is not JSON
 */
export function parseJson(text) {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  JSON.parse(text); // Judges the original: the rewriting below could make a broken text valid.
  const mark = freshMark();
  const marked = text.replace(TOKEN, (token) => (isUnsafe(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_key, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/**
 * JSON in which a BigInt is written as its digits.
 * @param {JsonValue} value
 * @param {number} [indent] spaces for each level; 0: compact
 * @returns {string}
 */
export function stringifyJson(value, indent = 0) {
  const mark = freshMark();
  let found = false;
  const text = JSON.stringify(
    value,
    (_key, member) => {
      if (typeof member !== "bigint") return member;
      found = true;
      return `${mark}${member}`;
    },
    indent,
  );
  return found ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}
