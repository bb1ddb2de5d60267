// @ts-check
/** Which fields of an object are shown at once: what must be given and what is given; the rest waits behind one line. */
import { counted } from "../base/language.js";
import { el, fill } from "../ui/dom.js";
import { isNeededWithBody } from "./form_state.js";
import { isFilled } from "./form_values.js";

/** @typedef {import("./form_state.js").Field} Field */

/** So many optional fields are read as quickly as the line that would hide them. */
export const MAX_OPTIONAL = 6;

/** For fewer a fold is no gain. */
const MIN_FOLDED = 3;

/** An event that draws what is folded, for those who must find a field in it. */
const REVEAL = "reveal-fields";

/**
 * @param {Field[]} fields of an object
 * @returns {{shown: Field[], folded: Field[]}} both in the document's order
 */
export function splitFields(fields) {
  const isShown = (/** @type {Field} */ field) => field.required || isNeededWithBody(field.schema) || isFilled(field);
  const optional = fields.filter((field) => !isShown(field));
  const folded = optional.length === fields.length ? optional.slice(MAX_OPTIONAL) : optional;
  if (optional.length <= MAX_OPTIONAL || folded.length < MIN_FOLDED) return { shown: fields, folded: [] };
  return { shown: fields.filter((field) => !folded.includes(field)), folded };
}

/**
 * The fields behind one line. They are drawn when it is opened: a form of a hundred optional objects is thousands of controls.
 * @param {Field[]} folded
 * @param {boolean} isRest whether other optional fields are shown
 * @param {(field: Field) => HTMLElement} renderField
 */
export function foldedFields(folded, isRest, renderField) {
  const inside = el("div", { class: "fields" });
  const draw = () => {
    if ("drawn" in fold.dataset) return;
    fold.dataset.drawn = "";
    fill(inside, ...folded.map(renderField));
  };
  const words = isRest
    ? counted(folded.length, "{0} more optional field", "{0} more optional fields")
    : counted(folded.length, "{0} optional field", "{0} optional fields");
  const fold = el("details", { class: "fold" }, el("summary", null, words), inside);
  for (const type of ["toggle", REVEAL]) fold.addEventListener(type, draw);
  return fold;
}

/** The place of a field, with all that hides it opened; null if it is not in the form. @param {Element} form @param {string} id */
export function revealField(form, id) {
  const find = () => form.querySelector(`[data-field="${id}"]`);
  for (;;) {
    const undrawn = form.querySelectorAll("details.fold:not([data-drawn])");
    if (find() !== null || undrawn.length === 0) break;
    for (const fold of undrawn) fold.dispatchEvent(new Event(REVEAL));
  }
  const place = find();
  for (let at = place?.parentElement?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  return place;
}
