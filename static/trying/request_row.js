// @ts-check
/** A row with the arguments of a call or of a saved request, which fill the form or run at once. */
import { guardControl } from "../base/guarded_control.js";
import { t } from "../base/language.js";
import { readArguments } from "../session/saved_requests.js";
import { button, el } from "../ui/dom.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/**
 * What rows do with the form. isForeign: others chose the values, so that a press of *Run* asks first; isTrusted: the user pressed it.
 * @typedef {{read: () => JsonObject, edit: (args: JsonObject, isForeign?: boolean) => void, run: (args: JsonObject, isTrusted: boolean) => void}} Form
 */
/** @typedef {{title: HTMLElement, text: string | null, name: string, isForeign?: boolean, more?: (HTMLElement | null)[]}} Row  text: arguments as JSON; null: too long to store */

const SHOWN_CHARS = 160;

/** @param {{safe: boolean}} tool @param {Form} form @param {Row} row */
export function requestRow(tool, form, { title, text, name, isForeign = false, more = [] }) {
  const known = readArguments(text);
  const run = known?.isWhole && !isForeign && runButton(tool, form, known.args, name);
  const edit =
    known &&
    button(t`Edit`, () => form.edit(known.args, isForeign), { class: "quiet small", "aria-label": t`Edit: ${name}` });
  const shown = text === null ? t`Its arguments were too long to store.` : shorten(text);
  const code = el("code", { class: "tries-text" }, shown);
  return el("li", null, title, code, el("span", { class: "actions" }, run, edit, ...more));
}

/** @param {{safe: boolean}} tool @param {Form} form @param {JsonObject} args @param {string} name */
function runButton(tool, form, args, name) {
  const run = button(t`Run again`, (event) => form.run(args, event.isTrusted), {
    class: "quiet small",
    "aria-label": t`Run again: ${name}`,
  });
  return tool.safe ? run : guardControl(run);
}

/** @param {string} text */
const shorten = (text) => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
