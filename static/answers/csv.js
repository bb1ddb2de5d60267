// @ts-check
/** A list of like objects as CSV (RFC 4180), for spreadsheets. Pure. */
import { copyOf } from "./json_path.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/** A spreadsheet takes a text that begins so for a formula, and carries it out. */
const FORMULA = /^[=+\-@\t\r]/;

/** @param {JsonValue | undefined} value */
function cellText(value) {
  if (value === undefined || value === null) return "";
  const text = copyOf(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {{rows: import("../types/types.js").JsonObject[], columns: string[]}} table */
export function toCsv({ rows, columns }) {
  const lines = rows.map((row) => columns.map((name) => cellText(Object.hasOwn(row, name) ? row[name] : undefined)));
  return [columns.map(cellText), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}
