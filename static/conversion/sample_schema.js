// @ts-check
/** From sample values to schemas, and from two schemas to one that takes both. Pure. */
import { isSecretName } from "../executor/redaction.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {Record<string, any>} Schema */

const MAX_DEPTH = 12;
const MAX_EXAMPLE = 100;

/** Long, of letters and digits, without words: nobody writes that by hand. @param {string} value */
export function looksSecret(value) {
  return (
    /^[A-Za-z0-9_\-.+/=]{20,}$/.test(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(value)
  );
}

/** @param {string} name @param {unknown} value whether it must not become an example */
const isPrivate = (name, value) =>
  isSecretName(name) || (typeof value === "string" && (looksSecret(value) || value.length > MAX_EXAMPLE));

/**
 * @param {JsonValue} value
 * @param {{hasExamples: boolean, name?: string}} how
 * @param {number} [depth]
 * @returns {Schema}
 */
export function schemaOfValue(value, how, depth = 0) {
  if (value === null || depth > MAX_DEPTH) return value === null ? { nullable: true } : {};
  if (Array.isArray(value))
    return { type: "array", items: value.map((item) => schemaOfValue(item, how, depth + 1)).reduce(mergeSchemas, {}) };
  if (typeof value === "object") return objectSchema(value, how, depth);
  const type =
    typeof value === "boolean"
      ? "boolean"
      : typeof value === "string"
        ? "string"
        : Number.isInteger(Number(value))
          ? "integer"
          : "number";
  const hasExample = how.hasExamples && !isPrivate(how.name ?? "", value) && typeof value !== "bigint";
  return hasExample ? { type, example: value } : { type };
}

/** @param {{[name: string]: JsonValue}} value @param {{hasExamples: boolean}} how @param {number} depth @returns {Schema} */
function objectSchema(value, how, depth) {
  const members = Object.entries(value).map(([name, member]) => [
    name,
    schemaOfValue(member, { ...how, name }, depth + 1),
  ]);
  return { type: "object", properties: Object.fromEntries(members) };
}

/** @param {string} text of a query, form or path @param {{hasExamples: boolean, name: string}} how @returns {Schema} */
export function schemaOfText(text, how) {
  const isNumber = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text);
  return schemaOfValue(isNumber ? Number(text) : text === "true" || text === "false" ? text === "true" : text, how);
}

/** A schema that takes what either takes; an empty one says nothing yet. @param {Schema} one @param {Schema} other @returns {Schema} */
export function mergeSchemas(one, other) {
  if (Object.keys(one).length === 0) return other;
  if (Object.keys(other).length === 0) return one;
  if (one.type === undefined || other.type === undefined) return { ...one, ...other, nullable: true };
  if (one.type === "object" && other.type === "object")
    return { ...one, properties: mergeMembers(one.properties ?? {}, other.properties ?? {}) };
  if (one.type === "array" && other.type === "array")
    return { type: "array", items: mergeSchemas(one.items, other.items) };
  if (one.type === other.type) return { ...other, ...one };
  const isNumeric = [one.type, other.type].every((type) => type === "integer" || type === "number");
  return isNumeric ? { ...one, type: "number" } : { nullable: true };
}

/** @param {Record<string, Schema>} one @param {Record<string, Schema>} other */
function mergeMembers(one, other) {
  const merged = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    const known = merged.get(name);
    merged.set(name, known ? mergeSchemas(known, schema) : schema);
  }
  return Object.fromEntries(merged);
}
