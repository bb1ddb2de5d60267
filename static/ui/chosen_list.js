// @ts-check
/** Values a user chose, each with a way to take it back, and a field to add one. Knows nothing of their meaning. */
import { t } from "../base/language.js";
import { button, el, fill, freshId, labelledField } from "./dom.js";

/** @typedef {{value: string, label: string}} Suggestion */

export class ChosenList {
  /**
   * @param {{
   *   title: string, hint: string, label: string, none: string,
   *   suggestions: () => Suggestion[], change: (values: string[]) => void
   * }} words `none` is said while nothing is chosen; `change` gets the new values
   */
  constructor(words) {
    this.words = words;
    /** @type {string[]} */
    this.values = [];
    const options = el("datalist", { id: freshId("suggestions") });
    const offer = () => fill(options, ...words.suggestions().map(({ value, label }) => el("option", { value, label })));
    this.input = el("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      list: options.id,
      onfocus: offer,
    });
    this.chips = el("ul", { class: "chips", "aria-label": words.title });
    this.element = el(
      "section",
      { class: "panel" },
      el("h2", null, words.title),
      el("p", { class: "hint" }, words.hint),
      this.chips,
      this.#addForm(),
      options,
    );
  }

  #addForm() {
    const add = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#add();
    };
    return el(
      "form",
      { class: "inline-form", onsubmit: add },
      labelledField(this.words.label, this.input),
      el("button", { type: "submit" }, t`Add`),
    );
  }

  /** @param {string[]} values @param {string[]} missing those that stand for nothing now */
  showValues(values, missing) {
    this.values = values;
    const labels = new Map(this.words.suggestions().map(({ value, label }) => [value, label]));
    const chips = values.map((value) => {
      const remove = button("×", () => this.#remove(value), { class: "quiet small", "aria-label": t`Remove ${value}` });
      const gone = missing.includes(value) ? el("span", { class: "badge warning" }, t`not available now`) : null;
      return el("li", { class: "chip" }, el("span", null, labels.get(value) || value), gone, remove);
    });
    fill(this.chips, ...(chips.length > 0 ? chips : [el("li", { class: "muted" }, this.words.none)]));
  }

  #add() {
    const value = this.input.value.trim();
    this.input.value = "";
    if (value !== "" && !this.values.includes(value)) this.words.change([...this.values, value]);
  }

  /** @param {string} value */
  #remove(value) {
    this.words.change(this.values.filter((other) => other !== value));
    this.input.focus(); // the pressed button goes away with its line
  }
}
