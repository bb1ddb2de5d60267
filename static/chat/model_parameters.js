// @ts-check
/** What is set of the model for one conversation. Only what the model takes is offered; the rest is kept for another model. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { el, fill, freshId, labelledField } from "../ui/dom.js";

/** @typedef {import("../types/chat_types.js").Parameters} Parameters */

/** @type {Record<string, {label: string, hint: string, min: number, max: number, step: string}>} */
const NUMBERS = dictionaryOf({
  temperature: { label: t`Temperature`, hint: t`0 to 2. Lower is more predictable.`, min: 0, max: 2, step: "0.1" },
  top_p: { label: t`Top P`, hint: t`0 to 1. Set this or the temperature.`, min: 0, max: 1, step: "0.05" },
  max_output_tokens: {
    label: t`Maximum tokens`,
    hint: t`Of one answer, with its reasoning.`,
    min: 1,
    max: 10_000_000,
    step: "1",
  },
});
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];

export class ModelParametersForm {
  /** @type {Parameters} */
  #chosen = {};
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  #fields = dictionaryOf({});
  #shown = "";

  /** @param {(parameters: Parameters) => Promise<unknown>} tune */
  constructor(tune) {
    this.tune = tune;
    const title = el("h2", { id: freshId("parameters") }, t`Model parameters`);
    this.place = el("div", { class: "parameter-fields" });
    this.element = el("section", { "aria-labelledby": title.id, hidden: true }, title, this.place);
  }

  /** @param {Parameters} chosen @param {string[]} taken names of those that the model takes */
  showParameters(chosen, taken) {
    this.#chosen = chosen;
    this.element.hidden = taken.length === 0;
    if (taken.join() !== this.#shown) this.#build(taken);
    for (const [name, field] of Object.entries(this.#fields))
      if (document.activeElement !== field) field.value = String(chosen[name] ?? "");
  }

  /** @param {string[]} taken */
  #build(taken) {
    this.#shown = taken.join();
    this.#fields = dictionaryOf({});
    const names = [...Object.keys(NUMBERS), "reasoning_effort"].filter((name) => taken.includes(name));
    fill(this.place, ...names.map((name) => (name in NUMBERS ? this.#numberField(name) : this.#effortField(name))));
  }

  /** @param {string} name */
  #numberField(name) {
    const { label, hint, min, max, step } = NUMBERS[name];
    const field = el("input", {
      type: "number",
      inputmode: "decimal",
      min,
      max,
      step: "any",
      dataset: { step },
      placeholder: t`Default`,
      onchange: () => this.#take(name),
    });
    this.#fields[name] = field;
    return labelledField(label, field, hint);
  }

  /** @param {string} name */
  #effortField(name) {
    const words = (/** @type {string} */ effort) => el("option", { value: effort }, effort);
    const field = el(
      "select",
      { onchange: () => this.#take(name) },
      el("option", { value: "" }, t`Default`),
      ...EFFORTS.map(words),
    );
    this.#fields[name] = field;
    return labelledField(t`Reasoning effort`, field, t`More effort answers later and costs more.`);
  }

  /** @param {string} name */
  #take(name) {
    const field = this.#fields[name];
    if (!field.checkValidity()) return field.reportValidity();
    const next = withParameter(this.#chosen, name, field.value);
    this.#chosen = next;
    return void this.tune(next);
  }
}

/** The parameters with one changed; an empty text removes it. @param {Parameters} chosen @param {string} name @param {string} text @returns {Parameters} */
export function withParameter(chosen, name, text) {
  const { [name]: _, ...rest } = chosen;
  if (text.trim() === "") return rest;
  const value = name === "max_output_tokens" ? Math.round(Number(text)) : name in NUMBERS ? Number(text) : text;
  return { ...rest, [name]: value };
}
