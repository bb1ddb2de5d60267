// @ts-check
/**
 * application/x-www-form-urlencoded: fields with a style are written as query parameters are, all others by the form
 * serializer ("+" for a space), arrays as repeated names (OpenAPI 3.1.2 §4.8.15.2 and .3). Pure.
 */

import { textOf } from "./body_text.js";
import { stringifyJson } from "../base/json_text.js";
import { writeParameter } from "./parameter_style.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").BodyField} BodyField */

/** A style is in force when the document gives one of its three keywords. @param {import("../types/types.d.ts").PlanField} rule */
export const hasStyle = ({ style, explode, allow_reserved }) =>
  style !== undefined || explode !== undefined || allow_reserved !== undefined;

/** The values of one field: an array gives one per item. @param {JsonValue} value */
export const itemsOf = (value) => (Array.isArray(value) ? value : [value]);

/**
 * @param {JsonValue} item
 * @param {string | undefined} contentType
 * @returns {string} without a type: primitives as they read, objects and arrays as JSON
 */
export function fieldText(item, contentType) {
  if (contentType !== undefined) return textOf(item, contentType);
  return typeof item === "object" && item !== null ? stringifyJson(item) : String(item);
}

/**
 * @param {BodyField[]} fields
 * @returns {string}
 */
export function writeForm(fields) {
  return fields
    .map(writeField)
    .filter((text) => text !== "")
    .join("&");
}

/** @param {BodyField} field */
function writeField({ name, value, rule }) {
  if (value === null) return "";
  if (hasStyle(rule)) return writeParameter(value, { ...rule, name, in: "query" }) ?? "";
  const pairs = itemsOf(value).map((item) => [name, fieldText(item, rule.content_type)]);
  return new URLSearchParams(pairs).toString();
}
