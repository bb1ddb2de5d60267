// @ts-check
/**
 * The values of a call as rows and columns: an object by its members, a list one below the other, a list of objects as a table.
 * A value too large or nested for that is JSON, so that nothing of it is left out.
 */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { truncateLine } from "../base/untrusted_text.js";
import { longText } from "./long_text.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{name: string, value: string, is_json?: boolean}} ShownArgument  is_json: its value is not a text, and written as JSON */

const SHOWN_CHARS = 300;
/** A longer text, or one of several lines, has a box of its own. */
const PLAIN_CHARS = 80;
const MAX_CHARS = 5000;
const MAX_ROWS = 20;
const MAX_COLUMNS = 6;

/** @param {ShownArgument} argument */
export function valueView({ name, value, is_json = false }) {
  const what = t`all of ${truncateLine(name)}`;
  const rows = is_json && value.length <= MAX_CHARS ? rowsView(parsed(value), what) : null;
  const look = value.length <= PLAIN_CHARS && !/[\r\n]/.test(value) ? "lines" : "box";
  return rows ?? longText(value, { chars: SHOWN_CHARS, what, look });
}

/** @param {string} text with secrets left out, so that it may be JSON no more @returns {JsonValue} */
function parsed(text) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** @param {JsonValue} value @param {string} what @returns {HTMLElement | null} null: it stays JSON */
function rowsView(value, what) {
  if (Array.isArray(value)) {
    const { length } = value;
    if (length === 0 || length > MAX_ROWS) return null;
    const columns = columnsOf(value);
    if (columns !== null) return tableOf(/** @type {JsonObject[]} */ (value), columns, what);
    return value.some(isContainer)
      ? null
      : el("ol", { class: "card-list" }, ...value.map((item) => el("li", null, cellText(item, what))));
  }
  if (!isContainer(value)) return null;
  const members = Object.entries(/** @type {JsonObject} */ (value));
  if (members.length === 0 || members.length > MAX_ROWS) return null;
  const rows = members.map(([name, member]) => [
    el("dt", null, truncateLine(name)),
    el("dd", null, cellText(member, what)),
  ]);
  return el("dl", { class: "card-members" }, ...rows.flat());
}

/** @param {JsonValue[]} list @returns {string[] | null} null: no table of it */
function columnsOf(list) {
  if (!list.every((row) => isContainer(row) && !Array.isArray(row))) return null;
  const columns = [...new Set(list.flatMap((row) => Object.keys(/** @type {JsonObject} */ (row))))];
  return columns.length > 0 && columns.length <= MAX_COLUMNS ? columns : null;
}

/** @param {JsonObject[]} rows @param {string[]} columns @param {string} what */
function tableOf(rows, columns, what) {
  const head = el("tr", null, ...columns.map((name) => el("th", { scope: "col" }, truncateLine(name))));
  const body = rows.map((row) =>
    el(
      "tr",
      null,
      ...columns.map((name) => el("td", null, Object.hasOwn(row, name) ? cellText(row[name], what) : null)),
    ),
  );
  const table = el("table", { class: "card-table" }, el("thead", null, head), el("tbody", null, ...body));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Table` }, table);
}

/** A text without its quotes, unless there is nothing in it. @param {JsonValue} value @param {string} what */
function cellText(value, what) {
  const text = typeof value === "string" && value !== "" ? value : stringifyJson(value);
  return longText(text, { chars: SHOWN_CHARS, what, look: "lines" });
}

/** @param {JsonValue} value */
function isContainer(value) {
  return typeof value === "object" && value !== null;
}
