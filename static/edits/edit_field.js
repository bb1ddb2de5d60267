// @ts-check
/** One field of the form that edits a tool: what is edited, beside it what the document says, and the way back to that. */
import { t } from "../base/language.js";
import { button, el, fill, freshId } from "../ui/dom.js";
import { readMember, textOf } from "./edit_members.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("./edit_members.js").Member} Member */

export class EditField {
  /** @param {Member} member @param {JsonValue | undefined} value as it is edited now; undefined: as the document says */
  constructor(member, value) {
    this.member = member;
    this.id = freshId("edit");
    this.control = this.#controlOf([member.original, textOf(value, member.isText)].some((text) => text.includes("\n")));
    this.problem = el("p", { class: "problem", role: "alert", id: `${this.id}-problem` });
    this.theirs = el("p", { class: "hint warning-text" });
    this.reset = button(t`As the document says`, () => this.#takeBack(), {
      class: "quiet small",
      "aria-label": t`${member.label}: as the document says`,
    });
    this.element = this.#render();
    /** As it was typed when it was last saved. */
    this.saved = "";
    this.setValue(value);
    this.noteSaved();
    for (const type of ["input", "change"]) this.control.addEventListener(type, () => this.#show());
  }

  /** @returns {import("./edit_members.js").Reading} */
  read() {
    return readMember(this.member, this.#typed());
  }

  get isUnsaved() {
    return this.#typed() !== this.saved;
  }

  noteSaved() {
    this.saved = this.#typed();
  }

  /** @param {JsonValue | undefined} value undefined: as the document says */
  setValue(value) {
    if (this.control instanceof HTMLInputElement && this.member.kind === "box") this.control.checked = value === true;
    else this.control.value = value === undefined ? this.member.original : textOf(value, this.member.isText);
    this.#show();
  }

  /** @param {string} words "" where nothing is wrong */
  showProblem(words) {
    fill(this.problem, words);
    if (words === "") this.control.removeAttribute("aria-invalid");
    else this.control.setAttribute("aria-invalid", "true");
  }

  /** What another tab has saved, which this field would replace. @param {JsonValue | undefined} value */
  showTheirs(value) {
    const said = value === undefined ? t`as the document says` : textOf(value, this.member.isText);
    fill(this.theirs, t`Saved elsewhere meanwhile: ${said}. Save again to replace that.`);
  }

  #typed() {
    const { control } = this;
    if (control instanceof HTMLInputElement && this.member.kind === "box") return control.checked ? "true" : "";
    return control.value;
  }

  #takeBack() {
    this.setValue(undefined);
    this.control.focus();
    this.control.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #show() {
    const { value, problem, doubt } = this.read();
    const isEdited = value !== undefined || problem !== undefined;
    this.element.toggleAttribute("data-edited", isEdited);
    this.reset.hidden = !isEdited;
    this.showProblem(problem === undefined ? (doubt ?? "") : "");
    fill(this.theirs);
  }

  /** @param {boolean} isLong it has lines, which a single one would lose @returns {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */
  #controlOf(isLong) {
    const { kind, isText, choices = [] } = this.member;
    const common = { id: this.id, "aria-describedby": `${this.id}-about ${this.id}-problem`, autocomplete: "off" };
    if (kind === "box") return el("input", { ...common, type: "checkbox" });
    if (kind === "choice")
      return el("select", common, ...choices.map(([value, label]) => el("option", { value }, label)));
    const isCode = kind === "code" || !isText;
    const look = { ...common, spellcheck: String(kind === "text"), class: isCode ? "mono" : null };
    return kind === "line" && !isLong ? el("input", { ...look, type: "text" }) : el("textarea", { ...look, rows: 4 });
  }

  #render() {
    const { kind, label, hint, name } = this.member;
    const about = el("span", { class: "hint", id: `${this.id}-about` }, hint);
    const parts =
      kind === "box"
        ? [el("label", { class: "check", for: this.id }, this.control, el("span", null, label)), about]
        : [el("label", { for: this.id }, label), about, this.#pair()];
    return el("div", { class: "field edit-field", dataset: { member: name } }, ...parts, this.theirs, this.problem);
  }

  #pair() {
    const { kind, original } = this.member;
    if (kind === "choice") return this.control;
    const said = el("div", { class: "original" }, el("span", { class: "facts" }, t`The document says`));
    said.append(original === "" ? el("p", { class: "hint" }, t`nothing`) : el("p", { class: "pre-line" }, original));
    said.append(this.reset);
    return el("div", { class: "edit-pair" }, this.control, said);
  }
}
