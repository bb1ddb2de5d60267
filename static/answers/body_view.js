// @ts-check
/** The body of an answer in the forms that suit it: table, tree, page or picture, and always the text itself. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";
import { essenceOf } from "../base/content_type.js";
import { formatBody, textView } from "../ui/response_view.js";
import { canShowHtml, htmlFrame } from "./html_frame.js";
import { findRows, tableView } from "./value_table.js";
import { JsonTree } from "./json_tree.js";
import { countMembers } from "./json_path.js";
import { parseJson } from "../base/json_text.js";

/** @typedef {keyof typeof LABELS} Form */
/** @typedef {[Form, () => Element][]} Forms  the first one is shown first */

const LABELS = dictionaryOf({ table: t`Table`, tree: t`Tree`, page: t`Page`, picture: t`Picture`, text: t`Text` });

/** Longer JSON is shown as text only: reading it would hold up the page. */
const MAX_JSON_CHARS = 4_000_000;

/** What the user chose last, while this page is open. @type {Form | null} */
let preferred = null;

/**
 * @param {string} text
 * @param {string} contentType
 * @param {Form} [first] shown unless the user has chosen another; the richest one otherwise
 */
export function bodyView(text, contentType, first) {
  const raw = textView(formatBody(text, contentType));
  const forms = /** @type {Forms} */ ([...richForms(text, contentType), ["text", () => raw]]);
  if (forms.length === 1) return raw;
  const [place, choice] = [
    el("div", null, raw),
    el("div", { class: "actions forms", role: "group", "aria-label": t`Show the answer as` }),
  ];
  /** @type {Map<Form, Element>} */
  const drawn = new Map([["text", raw]]);
  const show = (/** @type {Form} */ form) => {
    const [, draw] = forms.find(([name]) => name === form) ?? forms[0];
    if (!drawn.has(form)) {
      drawn.set(form, draw());
      place.append(/** @type {Element} */ (drawn.get(form)));
    }
    for (const [name, element] of drawn) element.toggleAttribute("hidden", name !== form);
    for (const each of choice.children) each.setAttribute("aria-pressed", String(each.textContent === LABELS[form]));
  };
  const choose = (/** @type {Form} */ form) => show((preferred = form));
  fill(choice, ...forms.map(([name]) => button(LABELS[name], () => choose(name), { class: "quiet small" })));
  show([preferred, first].find((form) => forms.some(([name]) => name === form)) ?? forms[0][0]);
  return el("div", { class: "stack" }, choice, place);
}

/** @param {string} text @param {string} contentType @returns {Forms} */
function richForms(text, contentType) {
  const type = essenceOf(contentType);
  if (type === "text/html" && canShowHtml()) return [["page", () => htmlFrame(text)]];
  if (type === "image/svg+xml") return [["picture", () => picture(text)]];
  const value = readJson(text, type);
  if (countMembers(value) === 0) return [];
  const rows = findRows(value);
  /** @type {[Form, () => Element]} */
  const tree = ["tree", () => new JsonTree(value).element];
  if (rows === null) return [tree];
  /** @type {[Form, () => Element]} */
  const table = ["table", () => tableView(rows)];
  return rows.isWhole && rows.rows.length > 1 ? [table, tree] : [tree, table];
}

/** @param {string} text @param {string} type @returns {import("../types/types.js").JsonValue} null where it is none */
function readJson(text, type) {
  if (text.length > MAX_JSON_CHARS || (!/json/.test(type) && !/^\s*[[{]/.test(text))) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** As a picture SVG runs no script and loads nothing. @param {string} svg */
function picture(svg) {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return el("img", { src, alt: t`The image the API answered with` });
}
