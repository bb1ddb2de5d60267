// @ts-check
/** What changed between the plan a user accepted and the one now offered, in sentences. Pure. */
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.js").PlanParameter} PlanParameter */

/** @param {unknown} value */
const jsonOf = (value) => stringifyJson(/** @type {import("../types/types.js").JsonValue} */ (value ?? null));

/** @param {RequestPlan} plan @returns {Map<string, PlanParameter>} */
const byPlace = (plan) =>
  new Map(plan.parameters.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));

/** @param {RequestPlan} before @param {RequestPlan} after @returns {string[]} */
function parameterChanges(before, after) {
  const [old, fresh] = [byPlace(before), byPlace(after)];
  const gone = [...old.keys()].filter((place) => !fresh.has(place)).map((place) => `The ${place} is gone.`);
  const rest = [...fresh].flatMap(([place, parameter]) => {
    const known = old.get(place);
    if (!known) return [`The ${place} is new${parameter.required ? " and required" : ""}.`];
    if (known.required !== parameter.required)
      return [`The ${place} is now ${parameter.required ? "required" : "optional"}.`];
    return jsonOf(known) === jsonOf(parameter) ? [] : [`The ${place} is written differently.`];
  });
  return [...gone, ...rest];
}

/** @param {RequestPlan} before @param {RequestPlan} after @returns {string[]} */
function bodyChanges(before, after) {
  if (jsonOf(before.body) === jsonOf(after.body)) return [];
  if (!before.body || !after.body) return [after.body ? "It now sends a body." : "It no longer sends a body."];
  if (before.body.content_type !== after.body.content_type) {
    return [`The body changes from ${before.body.content_type} to ${after.body.content_type}.`];
  }
  const [old, fresh] = [before.body, after.body].map(({ properties = [] }) => properties.map(({ name }) => name));
  const added = fresh.filter((name) => !old.includes(name));
  const gone = old.filter((name) => !fresh.includes(name));
  const sentences = [
    added.length > 0 ? `New in the body: ${added.join(", ")}.` : "",
    gone.length > 0 ? `Gone from the body: ${gone.join(", ")}.` : "",
  ].filter((sentence) => sentence !== "");
  return sentences.length > 0 ? sentences : ["The body is written differently."];
}

/**
 * @param {RequestPlan} before accepted
 * @param {RequestPlan} after offered
 * @returns {string[]} never empty: what is not visible in the request is the description the models read
 */
export function planChanges(before, after) {
  const changes = [
    before.base_url === after.base_url
      ? ""
      : `The address changes from ${before.base_url || "none"} to ${after.base_url || "none"}.`,
    before.method === after.method ? "" : `The method changes from ${before.method} to ${after.method}.`,
    before.path === after.path ? "" : `The path changes from ${before.path} to ${after.path}.`,
    ...parameterChanges(before, after),
    ...bodyChanges(before, after),
    jsonOf(before.security) === jsonOf(after.security) ? "" : "It asks for other credentials.",
  ].filter((sentence) => sentence !== "");
  return changes.length > 0
    ? changes
    : ["The request stays as it was; the description or the arguments that models read have changed."];
}
