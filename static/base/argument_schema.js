// @ts-check
/** What a form shows for an argument schema: the kind of control, the choices, the facts beside the name. Pure. */
import { dictionaryOf } from "./dictionary.js";
import { t } from "../base/language.js";
import { stringifyJson } from "./json_text.js";

/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {"string" | "integer" | "number" | "boolean" | "enum" | "array" | "object" | "union" | "json"} Kind */

/** Deeper than this a nested object is edited as JSON text: indentation would leave no room for the fields. */
export const MAX_DEPTH = 5;

const SCALARS = ["string", "integer", "number", "boolean"];

/**
 * A schema as an object; `true`, `{}` and anything unreadable mean "anything".
 * @param {JsonValue | undefined} value
 * @returns {JsonSchema}
 */
export function schemaOf(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** @param {JsonSchema} schema @returns {string[]} without "null" */
export function typesOf(schema) {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.filter((type) => typeof type === "string").filter((type) => type !== "null");
}

/** @param {JsonSchema} schema */
export function isNullable(schema) {
  if (Array.isArray(schema.type) && schema.type.includes("null")) return true;
  return choicesOf(schema).includes(null) || schema.nullable === true;
}

/** @param {JsonSchema} schema @returns {JsonValue[]} */
export function choicesOf(schema) {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/**
 * The alternatives of a union, also of a type list such as `["string", "integer"]`.
 * @param {JsonSchema} schema
 * @returns {JsonSchema[]}
 */
export function branchesOf(schema) {
  const listed = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(listed)) return listed.map(schemaOf);
  return typesOf(schema).map((type) => ({ ...schema, type }));
}

/** Four or more bare types side by side are the form of "any JSON value". @param {JsonSchema[]} branches */
function isAnything(branches) {
  const names = new Set(branches.flatMap(typesOf));
  return branches.length > 3 && names.size > 3 && branches.every((branch) => !branch.properties && !branch.enum);
}

/** @param {JsonSchema} schema @param {number} depth @returns {Kind} */
function objectKind(schema, depth) {
  const hasFields = Object.keys(schemaOf(schema.properties)).length > 0;
  return (hasFields && depth < MAX_DEPTH) || depth === 0 ? "object" : "json";
}

/** @param {JsonSchema} schema @param {number} [depth] @returns {Kind} */
export function kindOf(schema, depth = 1) {
  if (choicesOf(schema).some((choice) => choice !== null)) return "enum";
  const branches = branchesOf(schema);
  const hasUnion = Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf);
  if (branches.length > 1) return isAnything(branches) || depth >= MAX_DEPTH ? "json" : "union";
  if (hasUnion && branches.length === 1) return kindOf(branches[0], depth);
  const [type] = typesOf(schema);
  if (SCALARS.includes(type)) return /** @type {Kind} */ (type);
  if (type === "array") return depth >= MAX_DEPTH ? "json" : "array";
  if (type === "object" || "properties" in schema) return objectKind(schema, depth);
  return "json";
}

/** The schema that decides the control: a union of one is that one. @param {JsonSchema} schema @returns {JsonSchema} */
export function effectiveSchema(schema) {
  const branches = branchesOf(schema);
  const single = (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) && branches.length === 1;
  return single ? { ...branches[0], ...("description" in schema ? { description: schema.description } : {}) } : schema;
}

/** The properties of a file argument (`toolserver/tool/file_argument.py`). */
const FILE_PROPERTIES = "base64,content_type,filename,text,url";

/** Whether an argument is a file: its bytes, its text or its address. @param {JsonSchema} schema */
export function isFile(schema) {
  return Object.keys(schemaOf(schema.properties)).toSorted().join() === FILE_PROPERTIES;
}

/** Whether an argument is a list of files. @param {JsonSchema} schema */
export const isFileList = (schema) => isFile(schemaOf(schema.items));

/** Whether a text is bytes in Base64. @param {JsonSchema} schema */
export function isBase64Text({ format, contentEncoding }) {
  return format === "byte" || /^base64(url)?$/i.test(String(contentEncoding ?? ""));
}

/** How a value is shown in one line. @param {JsonValue} value */
export function formatValue(value) {
  return typeof value === "string" ? value : stringifyJson(value);
}

/** @param {JsonSchema} schema @returns {string} for the choice between alternatives */
export function branchLabel(schema) {
  if (typeof schema.title === "string") return schema.title;
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map(formatValue).join(" | ").slice(0, 40);
  const fields = Object.keys(schemaOf(schema.properties));
  const type = typesOf(schema)[0] ?? t`any JSON`;
  if (fields.length > 0) return `object {${fields.slice(0, 3).join(", ")}${fields.length > 3 ? ", …" : ""}}`;
  if (type === "array") return t`list of ${typesOf(schemaOf(schema.items))[0] ?? t`values`}`;
  return typeof schema.format === "string" ? `${type} (${schema.format})` : type;
}

/** @param {JsonSchema} schema @param {string} low @param {string} high */
function formatRange(schema, low, high) {
  const [from, to] = [schema[low], schema[high]];
  if (from !== undefined && to !== undefined) return `${formatValue(from)}–${formatValue(to)}`;
  if (from !== undefined) return `≥ ${formatValue(from)}`;
  return to === undefined ? "" : `≤ ${formatValue(to)}`;
}

/** @param {JsonSchema} schema */
function limitTexts(schema) {
  const [length, size] = [formatRange(schema, "minLength", "maxLength"), formatRange(schema, "minItems", "maxItems")];
  return [formatRange(schema, "minimum", "maximum"), length && t`${length} characters`, size && t`${size} items`];
}

/**
 * The small print beside a field's name: type, format, limits. The bridge writes limits into descriptions, so that
 * they are repeated only where there is none.
 * @param {JsonSchema} schema
 * @param {Kind} kind
 */
export function describeField(schema, kind) {
  const type = dictionaryOf({
    union: t`one of several forms`,
    enum: t`choice`,
    json: typesOf(schema)[0] ?? t`any JSON`,
  });
  const parts = [
    isFile(schema)
      ? t`file`
      : kind in type
        ? type[/** @type {keyof typeof type} */ (kind)]
        : kind === "array"
          ? t`list`
          : kind,
    typeof schema.format === "string" ? schema.format : "",
    ...(schema.description ? [] : limitTexts(schema)),
    isNullable(schema) ? t`may be null` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
