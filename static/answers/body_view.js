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
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {[Form, () => Element][]} Forms  the first one is shown first */

const LABELS = dictionaryOf({ table: t`Table`, tree: t`Tree`, page: t`Page`, picture: t`Picture`, text: t`Text` });

/** Longer JSON is shown as text only: reading it would hold up the page. */
const MAX_JSON_CHARS = 4_000_000;

/** A shorter text is read at a glance. */
const SEARCHED_CHARS = 400;

/** What the user chose last, while this page is open. @type {Form | null} */
let preferred = null;

/**
 * @param {string} text
 * @param {string} contentType
 * @param {Form} [first] shown unless the user has chosen another; the richest one otherwise
 */
export function bodyView(text, contentType, first) {
  const value = readJson(text, essenceOf(contentType));
  const raw = textView(formatBody(text, contentType));
  const forms = /** @type {Forms} */ ([...richForms(text, contentType, value), ["text", () => raw]]);
  if (forms.length === 1 && text.length < SEARCHED_CHARS) return raw;
  const [place, choice, search] = [el("div", null, raw), formChoice(), el("div")];
  /** @type {Map<Form, Element>} */
  const drawn = new Map([["text", raw]]);
  let shown = /** @type {Form} */ ("text");
  const show = (/** @type {Form} */ form) => {
    const [, draw] = forms.find(([name]) => name === form) ?? forms[0];
    if (!drawn.has(form)) {
      drawn.set(form, draw());
      place.append(/** @type {Element} */ (drawn.get(form)));
    }
    shown = form;
    for (const [name, element] of drawn) element.toggleAttribute("hidden", name !== form);
    for (const each of choice.children) each.setAttribute("aria-pressed", String(each.textContent === LABELS[form]));
  };
  const choose = (/** @type {Form} */ form) => show((preferred = form));
  const buttons = forms.map(([name]) => button(LABELS[name], () => choose(name), { class: "quiet small" }));
  if (forms.length > 1) fill(choice, ...buttons);
  show([preferred, first].find((form) => forms.some(([name]) => name === form)) ?? forms[0][0]);
  const searched = { value, raw, place, show, shown: () => shown };
  const opener = button(t`Search`, () => openSearch(search, searched), { class: "quiet small" });
  return el("div", { class: "stack" }, el("div", { class: "actions" }, choice, opener), search, place);
}

const formChoice = () => el("div", { class: "actions forms", role: "group", "aria-label": t`Show the answer as` });

/** @typedef {{value: JsonValue, raw: HTMLElement, place: HTMLElement, show: (form: Form) => void, shown: () => Form}} Searched */

/** In the tree where there is one, unless its user looks at the text. @param {HTMLElement} place @param {Searched} searched */
async function openSearch(place, { value, raw, place: body, show, shown }) {
  const { findOffsets, findPlaces, markText, searchField } = await import("./answer_search.js");
  if (place.firstElementChild) return place.querySelector("input")?.focus();
  const field = searchField((words) => {
    if (countMembers(value) > 0 && shown() !== "text")
      return findPlaces(value, words).map((steps) => () => {
        show("tree");
        trees.get(/** @type {Element} */ (body.querySelector(".json-view")))?.revealPlace(steps);
      });
    const block = /** @type {HTMLElement} */ (raw.matches("pre") ? raw : raw.querySelector("pre"));
    return findOffsets(block.textContent ?? "", words).map((at) => () => {
      show("text");
      markText(block, at, words.length);
    });
  });
  fill(place, field.element);
  field.input.focus();
}

/** The trees that are shown, by their elements. @type {WeakMap<Element, JsonTree>} */
const trees = new WeakMap();

/** @param {JsonValue} value */
function treeView(value) {
  const tree = new JsonTree(value);
  trees.set(tree.element, tree);
  return tree.element;
}

/** @param {string} text @param {string} contentType @param {JsonValue} value @returns {Forms} */
function richForms(text, contentType, value) {
  const type = essenceOf(contentType);
  if (type === "text/html" && canShowHtml()) return [["page", () => htmlFrame(text)]];
  if (type === "image/svg+xml") return [["picture", () => picture(text)]];
  if (countMembers(value) === 0) return [];
  const rows = findRows(value);
  /** @type {[Form, () => Element]} */
  const tree = ["tree", () => treeView(value)];
  if (rows === null) return [tree];
  /** @type {[Form, () => Element]} */
  const table = ["table", () => tableView(rows)];
  return rows.isWhole && rows.rows.length > 1 ? [table, tree] : [tree, table];
}

/** @param {string} text @param {string} type @returns {JsonValue} null where it is none */
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
