// @ts-check
/** A list of like objects as a table. */
import { t, counted } from "../base/language.js";
import { button, el } from "../ui/dom.js";
import { saveText } from "../ui/response_view.js";
import { copyOf, isContainer, pathBelow, shorten } from "./json_path.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{path: string, rows: JsonObject[], columns: string[], isWhole: boolean}} Tabular  isWhole: there is nothing beside it */

/** Rows that are looked at for columns. */
const SEEN_ROWS = 200;
const MAX_COLUMNS = 40;
const PART = 100;
const CELL_CHARS = 160;

/**
 * The list in a JSON value that a table can show: the value itself, or the only list of objects that an object holds.
 * @param {JsonValue} value
 * @returns {Tabular | null}
 */
export function findRows(value) {
  if (Array.isArray(value)) return tabular(value, "$", true);
  if (!isContainer(value)) return null;
  const lists = Object.entries(value).filter(([, member]) => Array.isArray(member) && isContainer(member[0]));
  if (lists.length !== 1) return null;
  const [name, list] = lists[0];
  return tabular(/** @type {JsonValue[]} */ (list), pathBelow("$", name), false);
}

/** @param {JsonValue[]} list @param {string} path @param {boolean} isWhole @returns {Tabular | null} */
function tabular(list, path, isWhole) {
  if (list.length === 0 || !list.every((row) => isContainer(row) && !Array.isArray(row))) return null;
  const rows = /** @type {JsonObject[]} */ (list);
  const seen = rows.slice(0, SEEN_ROWS);
  const columns = [...new Set(seen.flatMap(Object.keys))];
  const cells = seen.flatMap((row) => Object.values(row));
  const flat = cells.filter((cell) => !isContainer(cell)).length;
  if (columns.length === 0 || columns.length > MAX_COLUMNS || flat * 2 < cells.length) return null;
  return { path, rows, columns, isWhole };
}

/** @param {Tabular} found */
export function tableView({ path, rows, columns, isWhole }) {
  const head = el("thead", null, el("tr", null, ...columns.map((name) => el("th", { scope: "col" }, name))));
  const body = el("tbody");
  const table = el("table", { class: "value-table", "aria-label": t`The answer as a table` }, head, body);
  const more = button("", () => draw(), { class: "quiet small" });
  const draw = () => {
    const next = rows.slice(body.rows.length, body.rows.length + PART);
    body.append(...next.map((row) => tableRow(row, columns)));
    const left = rows.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = t`Show ${Math.min(left, PART)} of ${left} more`;
  };
  draw();
  const words = isWhole
    ? counted(rows.length, "{0} row", "{0} rows")
    : counted(rows.length, "{0} row of {1}", "{0} rows of {1}", path);
  const region = el(
    "div",
    { class: "scroll table-scroll", tabindex: "0", role: "region", "aria-label": t`Table of the answer` },
    table,
  );
  const save = button(t`Download as CSV`, () => void saveTable({ rows, columns }), { class: "quiet small" });
  return el(
    "div",
    { class: "stack" },
    el("p", { class: "actions" }, el("span", { class: "hint" }, words), el("span", { class: "spacer" }), save),
    region,
    more,
  );
}

/** @param {Pick<Tabular, "rows" | "columns">} table */
async function saveTable(table) {
  const { toCsv } = await import("./csv.js");
  saveText(toCsv(table), "answer.csv");
}

/** @param {JsonObject} row @param {string[]} columns */
function tableRow(row, columns) {
  return el("tr", null, ...columns.map((name) => cellOf(Object.hasOwn(row, name) ? row[name] : undefined)));
}

/** @param {JsonValue | undefined} value */
function cellOf(value) {
  if (value === undefined) return el("td");
  if (value === null) return el("td", { class: "json-null" }, "null");
  const text = copyOf(value);
  const isLong = text.length > CELL_CHARS;
  return el(
    "td",
    {
      class: typeof value === "number" || typeof value === "bigint" ? "number" : null,
      title: isLong ? shorten(text, 2000) : null,
    },
    shorten(text, CELL_CHARS),
  );
}
