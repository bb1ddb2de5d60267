// @ts-check
/** The path of an operation with its parameters as chips: each says its value and leads to its field. */
import { el, fill } from "../ui/dom.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").PlanParameter} PlanParameter */

const MAX_CHARS = 40;

/**
 * The parts of a path template, texts and names of parameters in turn: "/a/{b}/c" is ["/a/", "b", "/c"].
 * @param {string} path
 */
export const pathParts = (path) => path.split(/\{([^{}]+)\}/);

/** What a chip says: the value that is given, or the parameter in braces. @param {string} name @param {unknown} value */
export function chipText(name, value) {
  if (value === undefined || value === null || value === "") return `{${name}}`;
  const text = typeof value === "object" ? stringifyJson(/** @type {JsonObject} */ (value)) : String(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

/** An address that breaks behind its slashes. @param {string} address */
export const breakableAddress = (address) =>
  address.split(/(?<=[^/:]\/)/).flatMap((part, place) => (place === 0 ? [part] : [el("wbr", null), part]));

export class PathChips {
  /** @type {Map<string, HTMLButtonElement>} by the name of the parameter */
  #chips = new Map();
  /** By the name of the parameter; by that name itself, where the plan is not read yet. @type {Map<string, string>} */
  #arguments = new Map();

  /** @param {string} path @param {(argument: string) => void} choose leads to its field */
  constructor(path, choose) {
    const parts = pathParts(path).map((part, place) =>
      place % 2 === 0 ? breakableAddress(part) : this.#chip(part, choose),
    );
    this.element = el("span", { class: "path" }, ...parts.flat());
  }

  /** @param {string} name @param {(argument: string) => void} choose */
  #chip(name, choose) {
    const go = () => choose(this.#argumentOf(name));
    const chip = el("button", { type: "button", class: "path-chip", title: name, onclick: go }, `{${name}}`);
    this.#chips.set(name, chip);
    return chip;
  }

  /** @param {string} name */
  #argumentOf(name) {
    return this.#arguments.get(name) ?? name;
  }

  /** Which arguments fill the path: their names may differ where two parameters share one. @param {PlanParameter[]} parameters */
  nameArguments(parameters) {
    for (const { in: place, name, argument } of parameters)
      if (place === "path" && argument) this.#arguments.set(name, argument);
  }

  /** @param {JsonObject} args as the form has them */
  showValues(args) {
    for (const [name, chip] of this.#chips) {
      const value = args[this.#argumentOf(name)];
      const text = chipText(name, value);
      chip.classList.toggle("filled", text !== `{${name}}`);
      fill(chip, text);
    }
  }
}
