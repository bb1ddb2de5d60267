// @ts-check
/** Whether a typed value is one of those that the document describes. Pure. */
import { t } from "../base/language.js";
import { choicesOf, formatValue, isNullable, schemaOf, typesOf } from "../base/argument_schema.js";
import { stringifyJson } from "../base/json_text.js";
import { isObject } from "./page_overlay.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */

/** @param {JsonValue} value @param {JsonSchema} schema @returns {string} what is wrong with it, "" for nothing */
export function misfitOf(value, schema) {
  if (value === null && isNullable(schema)) return "";
  const choices = choicesOf(schema);
  if (choices.length > 0 && !choices.some((each) => stringifyJson(each) === stringifyJson(value)))
    return t`The document allows only ${choices.map(formatValue).join(", ").slice(0, 300)}.`;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return t`The document asks for ${types.join(" | ")}.`;
  return misfitOfRange(value, schema) || misfitOfBranches(value, schema) || misfitWithin(value, schema);
}

/** @param {JsonValue} value @param {string} type */
function isOfType(value, type) {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "number") return ["number", "bigint"].includes(typeof value);
  if (type === "integer") return typeof value === "bigint" || Number.isInteger(value);
  return typeof value === type;
}

/** @param {JsonValue} value @param {JsonSchema} schema */
function misfitOfRange(value, schema) {
  const isText = typeof value === "string";
  if (!isText && typeof value !== "number" && typeof value !== "bigint") return "";
  const size = isText ? [...value].length : value;
  const [low, high] = (isText ? ["minLength", "maxLength"] : ["minimum", "maximum"]).map((key) => Number(schema[key]));
  if (size < low) return isText ? t`It has at least ${low} characters.` : t`It is at least ${low}.`;
  if (size > high) return isText ? t`It has at most ${high} characters.` : t`It is at most ${high}.`;
  return "";
}

/** @param {JsonValue} value @param {JsonSchema} schema */
function misfitOfBranches(value, { anyOf, oneOf }) {
  const found = [anyOf, oneOf].find((each) => Array.isArray(each));
  const problems = Array.isArray(found) ? found.map((each) => misfitOf(value, schemaOf(each))) : [""];
  return problems.includes("") ? "" : problems[0];
}

/** @param {JsonValue} value @param {JsonSchema} schema @returns {string} */
function misfitWithin(value, schema) {
  if (Array.isArray(value)) return first(value.map((each) => misfitOf(each, schemaOf(schema.items))));
  if (!isObject(value)) return "";
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return t`It lacks ${missing}.`;
  const known = Object.entries(schemaOf(schema.properties)).filter(([name]) => Object.hasOwn(value, name));
  return first(known.map(([name, inner]) => misfitOf(value[name], schemaOf(inner))));
}

/** @param {string[]} problems */
const first = (problems) => problems.find((each) => each !== "") ?? "";
