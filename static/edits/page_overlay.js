// @ts-check
/** The one overlay that the page writes, behind those that people have brought, which it leaves as they are. Pure. */
import { verbatim } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/edit_types.js").Action} Action */
/** @typedef {import("../types/edit_types.js").OverlaySet} OverlaySet */

/** By which the page knows its own; the same in every language, for it is in people's files. */
export const PAGE_TITLE = verbatim("Edits made in the page");

/** @param {JsonValue | undefined} value @returns {value is JsonObject} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {string} text @returns {JsonObject | null} null: it is not JSON, or none of the page */
function readOwn(text) {
  try {
    const root = parseJson(text);
    const isOwn = isObject(root) && isObject(root.info) && root.info.title === PAGE_TITLE;
    return isOwn && Array.isArray(root.actions) && root.actions.every(isObject) ? root : null;
  } catch {
    return null;
  }
}

/** @param {string[]} texts of a server @returns {OverlaySet} */
export function readOverlays(texts) {
  const last = readOwn(texts.at(-1) ?? "");
  if (last === null) return { others: texts, own: null, actions: [] };
  const { actions, ...own } = last;
  return { others: texts.slice(0, -1), own, actions: /** @type {Action[]} */ (actions) };
}

/** @param {OverlaySet} set @returns {string[]} an overlay of the page without actions is left out */
export function writeOverlays({ others, own, actions }) {
  if (actions.length === 0) return others;
  const head = own ?? { overlay: "1.1.0", info: { title: PAGE_TITLE, version: "1" } };
  return [...others, `${stringifyJson({ ...head, actions }, 2)}\n`];
}

/** The page's own stays the last, so that it edits what an imported one leaves. @param {string[]} texts @param {string} text */
export function withImported(texts, text) {
  const { others, own } = readOverlays(texts);
  return own === null ? [...texts, text] : [...others, text, ...texts.slice(-1)];
}

/**
 * @param {string} text of an overlay
 * @returns {{title: string, actions: number | null}} null: it is YAML, which the page does not read
 */
export function describeOverlay(text) {
  try {
    const root = parseJson(text);
    if (!isObject(root) || !Array.isArray(root.actions)) return { title: "", actions: null };
    const title = isObject(root.info) && typeof root.info.title === "string" ? root.info.title : "";
    return { title, actions: root.actions.length };
  } catch {
    const title = /^[ \t]+title:[ \t]*(\S.*)$/m.exec(text)?.[1] ?? "";
    return { title: title.replace(/^(["'])(.*)\1$/, "$2"), actions: null };
  }
}
