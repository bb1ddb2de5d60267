// @ts-check
/** Which of a provider's models are offered: all that it lists, or chosen ones. */
import { counted, t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";
import { choiceOf } from "./provider_choice.js";

const SHOWN = 200;

export class ModelChoice {
  /** @type {string[]} */
  #listed = [];

  /** @param {string[]} chosen names; none: all */
  constructor(chosen) {
    this.chosen = new Set(chosen);
    this.search = el("input", {
      type: "search",
      autocomplete: "off",
      "aria-label": t`Search models`,
      placeholder: t`Search`,
      oninput: () => this.#draw(),
    });
    this.rows = el("ul", { class: "chat-tools" });
    this.count = el("span", { class: "facts", role: "status" });
    const all = button(t`All`, () => this.#chooseFound(true), { class: "quiet small" });
    const none = button(t`None`, () => this.#chooseFound(false), { class: "quiet small" });
    const head = el("div", { class: "actions" }, this.search, all, none, this.count);
    this.element = el(
      "fieldset",
      { class: "field", hidden: true },
      el("legend", null, t`Models to offer`),
      head,
      this.rows,
    );
  }

  /** The names to store; none: all. */
  get models() {
    return this.#listed.length === 0 ? [...this.chosen] : choiceOf(this.#listed, this.chosen);
  }

  /** @param {string[]} listed what the provider lists */
  showModels(listed) {
    const isFirst = this.#listed.length === 0 && this.chosen.size === 0;
    this.#listed = [...new Set([...listed, ...this.chosen])];
    if (isFirst) this.chosen = new Set(this.#listed);
    this.element.hidden = false;
    this.#draw();
  }

  #found() {
    const words = this.search.value.trim().toLowerCase();
    return this.#listed.filter((name) => name.toLowerCase().includes(words));
  }

  /** @param {boolean} isOn */
  #chooseFound(isOn) {
    for (const name of this.#found()) isOn ? this.chosen.add(name) : this.chosen.delete(name);
    this.#draw();
  }

  #draw() {
    const found = this.#found();
    const rest = found.length - SHOWN;
    fill(
      this.rows,
      ...found.slice(0, SHOWN).map((name) => this.#row(name)),
      rest > 0
        ? el("li", { class: "hint" }, counted(rest, "{0} more: search to find them.", "{0} more: search to find them."))
        : null,
    );
    this.#count();
  }

  #count() {
    const { size } = this.chosen;
    this.count.textContent = size === 0 ? t`None chosen: all are offered` : t`${size} of ${this.#listed.length} chosen`;
  }

  /** @param {string} name */
  #row(name) {
    const change = (/** @type {Event} */ { target }) => {
      if (/** @type {HTMLInputElement} */ (target).checked) this.chosen.add(name);
      else this.chosen.delete(name);
      this.#count();
    };
    return el(
      "li",
      null,
      el(
        "label",
        null,
        el("input", { type: "checkbox", checked: this.chosen.has(name), onchange: change }),
        el("span", { class: "name" }, name),
      ),
    );
  }
}
