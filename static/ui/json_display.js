// @ts-check
/** JSON for people: indented text, and a small example for a schema. Pure. */
import { stringifyJson } from "../base/json_text.js";
import { branchesOf, choicesOf, effectiveSchema, kindOf, schemaOf } from "../base/argument_schema.js";

/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/**
 * Pretty JSON without losing digits.
 * @param {JsonValue} value
 * @param {string} [indent]
 * @returns {string}
 */
export function prettyJson(value, indent = "") {
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((member) => inner + prettyJson(member, inner)).join(",\n")}\n${indent}]`;
  }
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    const lines = Object.entries(value).map(
      ([name, member]) => `${inner}${JSON.stringify(name)}: ${prettyJson(member, inner)}`,
    );
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  return stringifyJson(value);
}

/**
 * A small value that fits a schema, for examples to copy. Required properties only.
 * @param {JsonSchema} schema
 * @param {number} [depth]
 * @returns {JsonValue}
 */
export function exampleOf(schema, depth = 0) {
  const used = effectiveSchema(schema);
  for (const given of [
    used.default,
    Array.isArray(used.examples) ? used.examples[0] : used.example,
    choicesOf(used)[0],
  ]) {
    if (given !== undefined) return given;
  }
  const kind = kindOf(used, depth);
  if (kind === "union") return exampleOf(branchesOf(used)[0], depth + 1);
  if (kind === "array") return depth > 3 ? [] : [exampleOf(schemaOf(used.items), depth + 1)];
  if (kind === "boolean") return true;
  if (kind === "integer" || kind === "number") return used.minimum ?? 1;
  if (kind === "string") return "text";
  const required = Array.isArray(used.required) ? used.required.map(String) : [];
  const properties = schemaOf(used.properties);
  return Object.fromEntries(required.map((name) => [name, exampleOf(schemaOf(properties[name]), depth + 1)]));
}
