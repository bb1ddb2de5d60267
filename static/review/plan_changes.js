// @ts-check
/** What changed between the plan a user accepted and the one now offered, in sentences. Pure. */
import { stringifyJson } from "../base/json_text.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.js").PlanParameter} PlanParameter */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */

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
  if (after.kind === "mcp" && before.kind === "mcp") return toolChanges(before.tool ?? {}, after.tool ?? {});
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

/** Of an MCP tool the whole definition is known, so each change can be shown: as text, for it is the server's. @param {JsonObject} before @param {JsonObject} after @returns {string[]} */
function toolChanges(before, after) {
  const texts = ["title", "description"].filter((name) => before[name] !== after[name]);
  const rest = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !(name in WORDING || texts.includes(name)) && jsonOf(before[name]) !== jsonOf(after[name]),
  );
  return [
    ...texts.map((name) => `Its ${name} was ${quoteText(before[name])} and is now ${quoteText(after[name])}.`),
    ...argumentChanges(before.inputSchema, after.inputSchema),
    jsonOf(before.annotations) === jsonOf(after.annotations)
      ? ""
      : `What the server claims of it was ${truncateLine(jsonOf(before.annotations))} and is now ${truncateLine(jsonOf(after.annotations))}.`,
    ...rest.map((name) => `Its definition has another ${truncateLine(name)}.`),
  ].filter((sentence) => sentence !== "");
}

const WORDING = { title: 1, description: 1, inputSchema: 1, annotations: 1 };
const SHOWN_CHARS = 400;

/** @param {unknown} text */
const quoteText = (text) => (typeof text === "string" ? `“${truncateLine(text, SHOWN_CHARS)}”` : "absent");

/** @param {unknown} before @param {unknown} after schemas @returns {string[]} */
function argumentChanges(before, after) {
  if (jsonOf(before) === jsonOf(after)) return [];
  const [old, fresh] = [before, after].map((schema) => Object.keys(/** @type {any} */ (schema)?.properties ?? {}));
  const added = fresh.filter((name) => !old.includes(name)).map((name) => `The argument ${truncateLine(name)} is new.`);
  const gone = old.filter((name) => !fresh.includes(name)).map((name) => `The argument ${truncateLine(name)} is gone.`);
  return added.length + gone.length > 0 ? [...added, ...gone] : ["Its arguments are described differently."];
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
