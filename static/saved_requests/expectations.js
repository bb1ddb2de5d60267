// @ts-check
/** Expectations of the answers of saved requests, as text and as values, and how an answer misses them. Pure. */
import { t } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{status?: number, within_ms?: number, values?: Record<string, JsonValue>}} Expectation  as in the file (`docs/reference/saved-requests.md`) */
/** @typedef {{status: number | null, duration_ms: number, error: string, found: JsonValue[] | string}} Ending  found: what the queries selected, in order, or why they selected nothing */

export const MAX_VALUES = 50;
/** Maximum characters of a query that the bridge takes (`MAX_QUERY_CHARS`). */
const MAX_QUERY_CHARS = 1000;
/** Between a query and its value; a comparison within a query is `==`. */
const EQUALS = " = ";

/** @param {Expectation} expectation */
export const isEmpty = ({ status, within_ms, values }) =>
  status === undefined && within_ms === undefined && Object.keys(values ?? {}).length === 0;

/** One line for each value, such as `length(items) = 3`. @param {Expectation["values"]} values */
export const writeValueLines = (values = {}) =>
  Object.entries(values)
    .map(([query, value]) => query + EQUALS + stringifyJson(value))
    .join("\n");

/**
 * @param {string} text lines as `writeValueLines` writes them
 * @returns {Record<string, JsonValue>}
 * @throws {Error} a line is none; its text is for people
 */
export function readValueLines(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > MAX_VALUES) throw new Error(t`At most ${MAX_VALUES} values can be expected.`);
  return Object.fromEntries(lines.map(readLine));
}

/** @param {string} line @returns {[string, JsonValue]} */
function readLine(line) {
  const at = line.indexOf(EQUALS);
  const query = line.slice(0, Math.max(at, 0)).trim();
  if (query === "") throw new Error(t`Write each value as QUERY = JSON, not “${line.trim()}”.`);
  try {
    return [query, parseJson(line.slice(at + EQUALS.length))];
  } catch {
    throw new Error(t`The value of “${query}” is not JSON. A text stands in quotes.`);
  }
}

/**
 * One query that selects everything which is expected, in order; "" for nothing.
 * @param {Expectation["values"]} values
 * @returns {string | null} null: it is longer than the bridge takes
 */
export function joinQueries(values = {}) {
  const queries = Object.keys(values);
  const joined = queries.length === 0 ? "" : `[${queries.map((query) => `(${query})`).join(", ")}]`;
  return joined.length > MAX_QUERY_CHARS ? null : joined;
}

/**
 * Says how an answer misses its expectation; nothing: it does not.
 * @param {Expectation} expectation
 * @param {Ending} ending
 * @returns {string[]} sentences
 */
export function judgeEnding(expectation, ending) {
  if (ending.status === null) return [ending.error];
  const { status, within_ms, values = {} } = expectation;
  const complaints = [];
  if (status === undefined ? ending.status >= 400 : status !== ending.status)
    complaints.push(t`Status ${ending.status}, expected ${status ?? t`below 400`}.`);
  if (within_ms !== undefined && ending.duration_ms > within_ms)
    complaints.push(t`It took ${Math.round(ending.duration_ms)} ms, expected ${within_ms} ms at most.`);
  return [...complaints, ...judgeValues(values, ending.found)];
}

/** @param {Record<string, JsonValue>} values @param {Ending["found"]} found */
function judgeValues(values, found) {
  const expected = Object.entries(values);
  if (expected.length === 0) return [];
  if (typeof found === "string") return [found];
  return expected.flatMap(([query, value], place) => {
    const selected = found[place] ?? null;
    if (isEqualJson(value, selected)) return [];
    return [t`${query}: ${stringifyJson(selected)}, expected ${stringifyJson(value)}.`];
  });
}

/**
 * Whether two values are equal as in JSON: members may stand in any order.
 * @param {JsonValue} one @param {JsonValue} other
 * @returns {boolean}
 */
export function isEqualJson(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = Object.entries(one);
  const right = /** @type {JsonObject} */ (other);
  if (left.length !== Object.keys(right).length) return false;
  return left.every(([name, value]) => Object.hasOwn(right, name) && isEqualJson(value, right[name]));
}
