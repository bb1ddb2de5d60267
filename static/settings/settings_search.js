// @ts-check
/** One search over all settings: sections, and the limits in them one by one. What does not match is hidden. */
import { counted, t } from "../base/language.js";
import { el, fill, labelledField } from "../ui/dom.js";
import { drawing } from "../ui/icon.js";

/** A part that is found by itself within its section. */
const PART = ".limit";

export class SettingsSearch {
  /** @param {() => HTMLElement[]} sections all that can be found */
  constructor(sections) {
    this.sections = sections;
    this.input = el("input", { type: "search", autocomplete: "off", oninput: () => this.search() });
    this.found = el("p", { class: "hint", role: "status" });
    this.element = el(
      "div",
      { class: "settings-search" },
      labelledField(t`Search the settings`, this.input),
      this.found,
    );
  }

  /** Hides what does not match; called again when sections are drawn anew. */
  search() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const count = this.sections().reduce((sum, section) => sum + searchSection(section, words), 0);
    const sentence = words.length === 0 ? "" : counted(count, "{0} setting found", "{0} settings found");
    fill(this.found, count === 0 ? drawing("no-hits") : null, sentence);
  }
}

/** @param {Element} element @param {string[]} words */
const matches = (element, words) => words.every((word) => (element.textContent ?? "").toLowerCase().includes(word));

/** @param {HTMLElement} section @param {string[]} words @returns {number} how many settings of it match */
function searchSection(section, words) {
  const parts = /** @type {HTMLElement[]} */ ([...section.querySelectorAll(PART)]);
  const found = parts.filter((part) => matches(part, words));
  for (const part of parts) part.hidden = !found.includes(part);
  for (const group of /** @type {Iterable<HTMLElement>} */ (section.querySelectorAll(".limit-group")))
    group.hidden = !group.querySelector(`${PART}:not([hidden])`);
  const isFound = parts.length > 0 ? found.length > 0 : matches(section, words);
  section.hidden = !isFound;
  if (words.length > 0 && found.length > 0 && section instanceof HTMLDetailsElement) section.open = true;
  return parts.length > 0 ? found.length : Number(isFound);
}
