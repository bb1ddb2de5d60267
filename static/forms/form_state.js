// @ts-check
/**
 * The state of an argument form as a tree of fields, made from an argument schema and filled from a JSON value.
 * Pure: no DOM. form_values.js reads it back.
 */
import { verbatim } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";
import {
  branchesOf,
  choicesOf,
  effectiveSchema,
  kindOf,
  schemaOf,
  formatValue,
  typesOf,
} from "../base/argument_schema.js";

/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */

/** Said of the required properties of an optional body (toolserver/tool/definition.py): no body, no need. */
const NEEDED_WITH_BODY = verbatim("Required when a body is sent.");

let serial = 0;

/**
 * @typedef {object} Field
 * @property {string} id          unique in this page, to find its control
 * @property {string} name
 * @property {JsonSchema} schema
 * @property {import("../base/argument_schema.js").Kind} kind
 * @property {boolean} required
 * @property {boolean} listed     an item of a list: an empty text is a value there
 * @property {number} depth
 * @property {boolean} isNull     the user chose null
 * @property {string} text        what stands in the control (scalars and JSON); for a choice its index
 * @property {Field[]} fields     of an object
 * @property {Field[]} items      of a list
 * @property {Field[]} branches   of a union
 * @property {number} branch      the chosen alternative
 * @property {string} extra       JSON text of an object's further properties
 */

/**
 * @param {JsonSchema} schema
 * @param {{name?: string, required?: boolean, listed?: boolean, depth?: number, sent?: boolean}} [place]
 *   sent: everything around it will be part of the arguments, so a required field may begin with its default
 * @returns {Field}
 */
export function createField(schema, { name = "", required = true, listed = false, depth = 0, sent = true } = {}) {
  const kind = kindOf(schema, depth);
  const used = effectiveSchema(schema);
  /** @type {Field} */
  const field = {
    id: `f${(serial += 1)}`,
    name,
    schema: used,
    kind,
    required,
    listed,
    depth,
    isNull: false,
    text: "",
    fields: [],
    items: [],
    branches: [],
    branch: 0,
    extra: "",
  };
  const isSent = sent && required;
  if (kind === "object") field.fields = propertyFields(used, depth, isSent);
  if (kind === "union") {
    const place = { name, required, listed, depth: depth + 1, sent: isSent };
    field.branches = branchesOf(used).map((branch) => createField(branch, place));
  }
  if (isSent && used.default !== undefined) fillField(field, used.default);
  return field;
}

/** @param {JsonSchema} schema @param {number} depth @param {boolean} sent */
function propertyFields(schema, depth, sent) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schemaOf(schema.properties)).map(([name, property]) => {
    const used = schemaOf(property);
    const isNeeded = required.includes(name) && !isNeededWithBody(used);
    return createField(used, { name, required: isNeeded, depth: depth + 1, sent });
  });
}

/** Whether a body, once one is sent, needs it. @param {JsonSchema} schema */
export function isNeededWithBody(schema) {
  return String(schema.description ?? "").includes(NEEDED_WITH_BODY);
}

/** An empty item for a list. @param {Field} field @returns {Field} */
export function createItem(field) {
  return createField(schemaOf(field.schema.items), { required: true, listed: true, depth: field.depth + 1 });
}

/** Whether further properties may be given. @param {JsonSchema} schema */
export function isOpen(schema) {
  return schema.additionalProperties !== undefined && schema.additionalProperties !== false;
}

/**
 * Puts a value into the form; what the schema does not know goes to the further properties.
 * @param {Field} field
 * @param {JsonValue} value
 */
export function fillField(field, value) {
  field.isNull = value === null && field.kind !== "enum" && field.kind !== "json";
  if (field.isNull) return;
  if (field.kind === "object") return fillObject(field, schemaOf(value));
  if (field.kind === "array") return fillItems(field, value);
  if (field.kind === "union") return fillUnion(field, value);
  if (field.kind === "enum") field.text = choiceIndex(field, value);
  else field.text = field.kind === "json" ? stringifyJson(value) : formatValue(value);
}

/** @param {Field} field @param {JsonValue} value */
function choiceIndex(field, value) {
  const index = choicesOf(field.schema).findIndex((choice) => isSame(choice, value));
  return index < 0 ? "" : String(index);
}

/** @param {JsonValue} one @param {JsonValue} other */
const isSame = (one, other) => stringifyJson(one) === stringifyJson(other);

/** @param {Field} field @param {JsonObject} value */
function fillObject(field, value) {
  const known = new Set(field.fields.map((child) => child.name));
  for (const child of field.fields) {
    if (Object.hasOwn(value, child.name)) fillField(child, value[child.name]);
  }
  const rest = Object.entries(value).filter(([name]) => !known.has(name));
  field.extra = rest.length > 0 ? stringifyJson(Object.fromEntries(rest)) : "";
}

/** @param {Field} field @param {JsonValue} value */
function fillItems(field, value) {
  field.items = (Array.isArray(value) ? value : [value]).map((member) => {
    const item = createItem(field);
    fillField(item, member);
    return item;
  });
}

/** @param {Field} field @param {JsonValue} value */
function fillUnion(field, value) {
  const fits = field.branches.findIndex((branch) => mayHold(branch, value));
  field.branch = Math.max(fits, 0);
  if (field.branches.length > 0) fillField(field.branches[field.branch], value);
}

/** @param {Field} branch @param {JsonValue} value */
function mayHold(branch, value) {
  if (branch.kind === "enum") return choicesOf(branch.schema).some((choice) => isSame(choice, value));
  if (branch.kind === "integer") return typeof value === "bigint" || Number.isInteger(value);
  if (branch.kind === "number") return typeof value === "number" || typeof value === "bigint";
  if (branch.kind === "string" || branch.kind === "boolean") return typeof value === branch.kind;
  if (branch.kind === "array") return Array.isArray(value);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) return branch.kind === "json" && typesOf(branch.schema)[0] !== "object";
  const required = Array.isArray(branch.schema.required) ? branch.schema.required : [];
  return (
    branch.kind === "json" || (branch.kind === "object" && required.every((name) => Object.hasOwn(value, String(name))))
  );
}
