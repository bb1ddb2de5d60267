// @ts-check
/** One field for whatever a user has of an API: an address, commands, the text of a document, or files dropped on it. */
import { t } from "../base/language.js";
import { el, labelledField } from "../ui/dom.js";
import { bringMaterial } from "./brought_material.js";
import { takeDrops } from "../documents/drop_target.js";
import { FILE_TYPES, filesDropped, filesOf } from "../documents/file_picker.js";

export function bringField() {
  const text = el("textarea", {
    rows: 1,
    class: "mono",
    required: true,
    spellcheck: "false",
    placeholder: "http://localhost:8000/docs",
    onkeydown: (/** @type {KeyboardEvent} */ event) => submitByEnter(event, form),
  });
  const files = el("input", { type: "file", multiple: true, accept: FILE_TYPES, class: "visually-hidden" });
  files.addEventListener("change", () => {
    if (files.files?.length) bringMaterial({ files: Promise.resolve(filesOf(files.files)) });
  });
  const choose = el("button", { type: "button", class: "quiet", onclick: () => files.click() }, t`Choose files`);
  files.tabIndex = -1; // the button opens it
  files.setAttribute("aria-hidden", "true");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.value.trim() !== "") bringMaterial({ text: text.value });
  };
  const form = el(
    "form",
    { class: "bring", onsubmit: submit },
    labelledField(t`Paste an address, a curl command or a document, or drop files here`, text),
    el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, t`Add it`), choose, files),
  );
  takeDrops(form, bringDropped);
  return form;
}

/** A line is sent by Enter; a text of several has it for its lines. @param {KeyboardEvent} event @param {HTMLFormElement} form */
function submitByEnter(event, form) {
  const field = /** @type {HTMLTextAreaElement} */ (event.target);
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || field.value.includes("\n")) return;
  event.preventDefault();
  form.requestSubmit();
}

/** Files, or a text that was marked elsewhere. @param {DataTransfer} dropped */
function bringDropped(dropped) {
  bringMaterial(dropped.files.length > 0 ? { files: filesDropped(dropped) } : { text: dropped.getData("text/plain") });
}
