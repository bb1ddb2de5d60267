// @ts-check
/**
 * What edits keep from callers, applied to the values of one call: refuses names, and adds fixed values. Pure. The same as
 * `toolserver/request/withheld.py`.
 */

import { RequestError } from "./request_error.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").PlanPlace} PlanPlace */
/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */

/**
 * Refuses arguments by the names of what is withheld.
 * @param {RequestPlan} plan
 * @param {JsonObject} args
 * @throws {RequestError} invalid_arguments
 */
export function refuseWithheldNames({ withheld }, args) {
  const refused = Object.keys(args).find((argument) => withheld?.names.includes(argument));
  if (refused !== undefined) throw new RequestError("invalid_arguments", `There is no argument "${refused}".`, refused);
}

/**
 * @param {RequestPlan} plan
 * @param {{place?: number}} holder  the entry of the parameter, or the body, in the plan
 * @param {JsonValue} value
 * @param {string} argument
 * @param {boolean} isTextRead  whether the API would read a text there as more than a text, as in a form
 * @returns {JsonValue} the value with the fixed values in it
 * @throws {RequestError} invalid_arguments: the value has a name that is withheld
 */
export function fillPlace({ withheld }, { place }, value, argument, isTextRead) {
  const places = withheld?.places ?? [];
  /** @param {string} message */
  const refusal = (message) => new RequestError("invalid_arguments", message, argument);

  /** @param {JsonValue} each @param {number | undefined} index @param {string} where @returns {JsonValue} */
  function fill(each, index, where) {
    const there = index === undefined ? undefined : places[index];
    if (there === undefined) return each;
    if (Array.isArray(each)) return each.map((item) => fill(item, there.items, where));
    if (typeof each === "string" && isTextRead && !there.takes_text)
      throw refusal(`"${where}" must be an object, not a text.`);
    return typeof each === "object" && each !== null ? fillObject(each, there, where) : each;
  }

  /** @param {JsonObject} each @param {PlanPlace} there @param {string} where @returns {JsonObject} */
  function fillObject(each, { refused = [], fixed = [], members = [], others }, where) {
    const below = new Map(members);
    const kept = Object.entries(each).map(([name, member]) => {
      if (refused.includes(name)) throw refusal(`There is no property "${name}" in "${where}".`);
      return /** @type {[string, JsonValue]} */ ([name, fill(member, below.get(name) ?? others, `${where}.${name}`)]);
    });
    return Object.fromEntries([...kept, ...fixed]);
  }

  return fill(value, place, argument);
}

/**
 * The values that an edit has fixed, for people: where each is sent, by name, and the value.
 * @param {RequestPlan} plan
 * @returns {{place: string, name: string, value: JsonValue}[]}
 */
export function fixedValues(plan) {
  const ofParameters = plan.parameters
    .filter((parameter) => parameter.fixed !== undefined)
    .map(({ in: place, name, fixed }) => ({ place, name, value: /** @type {JsonValue} */ (fixed) }));
  return [...ofParameters, ...fixedBelow(plan)];
}

/** @param {RequestPlan} plan */
function fixedBelow({ parameters, body, withheld }) {
  const places = withheld?.places ?? [];
  /** @type {{place: string, name: string, value: JsonValue}[]} */
  const found = [];
  const seen = new Set();
  /** @param {string} place @param {number | undefined} index @param {string} above */
  const visit = (place, index, above) => {
    if (index === undefined || seen.has(index)) return;
    seen.add(index);
    const { fixed = [], members = [], others, items } = places[index];
    for (const [name, value] of fixed) found.push({ place, name: `${above}${name}`, value });
    for (const [name, below] of members) visit(place, below, `${above}${name}.`);
    visit(place, others, `${above}*.`);
    visit(place, items, above);
  };
  for (const { in: place, name, place: index } of parameters) visit(place, index, `${name}.`);
  visit("body", body?.place, "");
  return found;
}
