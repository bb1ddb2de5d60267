// @ts-check
/** What changed between the plan a user accepted and the one now offered, in sentences. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/types.js").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.js").PlanParameter} PlanParameter */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */

/** @param {unknown} value */
const jsonOf = (value) => stringifyJson(/** @type {import("../types/types.js").JsonValue} */ (value ?? null));

/** @param {RequestPlan} plan @returns {Map<string, PlanParameter>} */
const byPlace = (plan) => new Map(plan.parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));

/** @param {RequestPlan} before @param {RequestPlan} after @returns {string[]} */
function parameterChanges(before, after) {
  const [old, fresh] = [byPlace(before), byPlace(after)];
  const gone = [...old]
    .filter(([place]) => !fresh.has(place))
    .map(([, parameter]) => t`The ${parameter.in} parameter ${parameter.name} is gone.`);
  const rest = [...fresh].flatMap(([place, parameter]) => parameterChange(old.get(place), parameter) ?? []);
  return [...gone, ...rest];
}

/** @param {PlanParameter | undefined} known as it was accepted @param {PlanParameter} parameter @returns {string | null} null: it stays as it was */
function parameterChange(known, parameter) {
  const { in: place, name, required } = parameter;
  if (!known)
    return required
      ? t`The ${place} parameter ${name} is new and required.`
      : t`The ${place} parameter ${name} is new.`;
  if (known.required !== required)
    return required
      ? t`The ${place} parameter ${name} is now required.`
      : t`The ${place} parameter ${name} is now optional.`;
  if (jsonOf(known.fixed) !== jsonOf(parameter.fixed)) return fixedChange(parameter);
  if (known.argument !== parameter.argument && parameter.argument !== undefined)
    return t`Models now call the ${place} parameter ${name} ${parameter.argument}.`;
  return jsonOf(known) === jsonOf(parameter) ? null : t`The ${place} parameter ${name} is written differently.`;
}

/** @param {PlanParameter} parameter of which an edit fixes the value, or does so no more */
function fixedChange({ in: place, name, fixed }) {
  if (fixed === undefined) return t`Models now choose the ${place} parameter ${name}.`;
  return t`The ${place} parameter ${name} is now always ${truncateLine(jsonOf(fixed))}.`;
}

/** @param {RequestPlan} before @param {RequestPlan} after @returns {string[]} */
function bodyChanges(before, after) {
  if (after.kind === "mcp" && before.kind === "mcp") return toolChanges(before.tool ?? {}, after.tool ?? {});
  if (jsonOf(before.body) === jsonOf(after.body)) return [];
  if (!before.body || !after.body) return [after.body ? t`It now sends a body.` : t`It no longer sends a body.`];
  if (before.body.content_type !== after.body.content_type) {
    return [t`The body changes from ${before.body.content_type} to ${after.body.content_type}.`];
  }
  const [old, fresh] = [before.body, after.body].map(({ properties = [] }) => properties.map(({ name }) => name));
  const added = fresh.filter((name) => !old.includes(name));
  const gone = old.filter((name) => !fresh.includes(name));
  const sentences = [
    added.length > 0 ? t`New in the body: ${added.join(", ")}.` : "",
    gone.length > 0 ? t`Gone from the body: ${gone.join(", ")}.` : "",
  ].filter((sentence) => sentence !== "");
  return sentences.length > 0 ? sentences : [t`The body is written differently.`];
}

/** Of an MCP tool the whole definition is known, so each change can be shown: as text, for it is the server's. @param {JsonObject} before @param {JsonObject} after @returns {string[]} */
function toolChanges(before, after) {
  const [title, description] = ["title", "description"].map((name) =>
    before[name] === after[name] ? null : [quoteText(before[name]), quoteText(after[name])],
  );
  const rest = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !(name in WORDING) && jsonOf(before[name]) !== jsonOf(after[name]),
  );
  return [
    title ? t`Its title was ${title[0]} and is now ${title[1]}.` : "",
    description ? t`Its description was ${description[0]} and is now ${description[1]}.` : "",
    ...argumentChanges(before.inputSchema, after.inputSchema),
    jsonOf(before.annotations) === jsonOf(after.annotations)
      ? ""
      : t`What the server claims of it was ${truncateLine(jsonOf(before.annotations))} and is now ${truncateLine(jsonOf(after.annotations))}.`,
    ...rest.map((name) => t`Its definition has another ${truncateLine(name)}.`),
  ].filter((sentence) => sentence !== "");
}

const WORDING = dictionaryOf({ title: 1, description: 1, inputSchema: 1, annotations: 1 });
const SHOWN_CHARS = 400;

/** @param {unknown} text */
const quoteText = (text) => (typeof text === "string" ? t`“${truncateLine(text, SHOWN_CHARS)}”` : t`absent`);

/** @param {unknown} before @param {unknown} after schemas @returns {string[]} */
function argumentChanges(before, after) {
  if (jsonOf(before) === jsonOf(after)) return [];
  const [old, fresh] = [before, after].map((schema) => Object.keys(/** @type {any} */ (schema)?.properties ?? {}));
  const added = fresh
    .filter((name) => !old.includes(name))
    .map((name) => t`The argument ${truncateLine(name)} is new.`);
  const gone = old
    .filter((name) => !fresh.includes(name))
    .map((name) => t`The argument ${truncateLine(name)} is gone.`);
  return added.length + gone.length > 0 ? [...added, ...gone] : [t`Its arguments are described differently.`];
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
      : t`The address changes from ${before.base_url || t`none`} to ${after.base_url || t`none`}.`,
    before.method === after.method ? "" : t`The method changes from ${before.method} to ${after.method}.`,
    before.path === after.path ? "" : t`The path changes from ${before.path} to ${after.path}.`,
    ...parameterChanges(before, after),
    ...bodyChanges(before, after),
    jsonOf(before.security) === jsonOf(after.security) ? "" : t`It asks for other credentials.`,
  ].filter((sentence) => sentence !== "");
  return changes.length > 0
    ? changes
    : [t`The request stays as it was; the description or the arguments that models read have changed.`];
}
