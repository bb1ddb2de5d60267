// @ts-check
/** Reads the arguments out of a form's fields, or names what is wrong and where. Pure: no DOM. */
import { counted, t } from "../base/language.js";
import { fillField } from "./form_state.js";
import { parseJson } from "../base/json_text.js";
import { hasPlace, unknownVariable } from "../environments/variables.js";
import { choicesOf, isFile, schemaOf, typesOf } from "../base/argument_schema.js";

/** @typedef {import("./form_state.js").Field} Field */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {{field: Field, message: string}} Problem */

/**
 * The value of a field; `undefined` = not given, so left out.
 * @param {Field} field
 * @param {Problem[]} problems receives what is wrong
 * @returns {JsonValue | undefined}
 */
export function readField(field, problems) {
  if (field.isNull) return null;
  if (field.kind === "object") return readObject(field, problems);
  if (field.kind === "array") return readItems(field, problems);
  if (field.kind === "union") return readField(field.branches[field.branch], problems);
  if (field.text.trim() === "" && !isEmptyText(field)) return absentValue(field, problems);
  if (field.kind === "enum") return choicesOf(field.schema)[Number(field.text)];
  return readText(field, problems);
}

/** An item of a list of texts may be empty, and spaces are a text. @param {Field} field */
const isEmptyText = (field) => field.kind === "string" && (field.listed || field.text !== "");

/** Whether something was given for a field, right or wrong. @param {Field} field */
export function isFilled(field) {
  /** @type {Problem[]} */
  const problems = [];
  return readField(field, problems) !== undefined || problems.some(({ field: at }) => isTouched(at));
}

/** @param {Field} field @param {Problem[]} problems */
function absentValue(field, problems) {
  if (field.required) problems.push({ field, message: t`This argument is required.` });
  return undefined;
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** @param {Field} field @param {Problem[]} problems @returns {JsonValue | undefined} */
function readText(field, problems) {
  const text = field.text.trim();
  if (field.kind === "string") return field.text;
  if (field.kind === "boolean") return text === "true";
  if (field.kind === "json") return readJson(field, text, problems);
  const expected = field.kind === "integer" ? INTEGER : NUMBER;
  if (!expected.test(text)) {
    const isPlace = hasPlace(text);
    const kind = field.kind === "integer" ? t`Expected a whole number.` : t`Expected a number.`;
    problems.push({ field, message: isPlace ? unknownVariable(text) : kind });
    return isPlace ? field.text : undefined; // what is stored or shared keeps it
  }
  return readNumber(text);
}

/** @param {string} text */
function readNumber(text) {
  const exact = INTEGER.test(text) && !Number.isSafeInteger(Number(text));
  return exact ? BigInt(text.replace(/^\+/, "")) : Number(text);
}

/** @param {Field} field @param {string} text @param {Problem[]} problems */
function readJson(field, text, problems) {
  try {
    const value = parseJson(text);
    const [type] = typesOf(field.schema);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (type === "object" && !isObject)
      problems.push({ field, message: t`Expected a JSON object such as {"name": "value"}.` });
    if (type === "array" && !Array.isArray(value))
      problems.push({ field, message: t`Expected a JSON list such as [1, 2].` });
    return value;
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : "";
    problems.push({ field, message: t`This is not JSON: ${reason}. A string needs quotation marks.` });
    return undefined;
  }
}

/** @param {Field} field @param {Problem[]} problems */
function readItems(field, problems) {
  if (field.items.length === 0 && !field.required && !field.listed) return undefined;
  const problem = sizeProblem(field.schema, field.items.length);
  if (problem) problems.push({ field, message: problem });
  const values = field.items.map((item) => readField(item, problems));
  return values.filter((value) => value !== undefined);
}

/** What is wrong with the number of items; "" where nothing is. @param {import("../types/types.js").JsonObject} schema @param {number} count */
function sizeProblem({ minItems, maxItems }, count) {
  if (typeof minItems === "number" && count < minItems)
    return counted(minItems, "Add at least {0} item.", "Add at least {0} items.");
  return typeof maxItems === "number" && count > maxItems
    ? counted(maxItems, "At most {0} item fits.", "At most {0} items fit.")
    : "";
}

/**
 * An optional object nobody touched is left out, and its required properties are not asked for.
 * @param {Field} field
 * @param {Problem[]} problems
 */
function readObject(field, problems) {
  /** @type {Problem[]} */
  const own = [];
  const members = field.fields.flatMap((child) => {
    const member = readField(child, own);
    return member === undefined ? [] : [/** @type {const} */ ([child.name, member])];
  });
  /** @type {JsonObject} */
  const value = { ...readExtra(field, own), ...Object.fromEntries(members) };
  const untouched = Object.keys(value).length === 0 && !own.some(({ field: at }) => isTouched(at));
  if (untouched && !field.required) return undefined;
  if (isFile(field.schema) && !["base64", "text", "url"].some((name) => Object.hasOwn(value, name)))
    own.push({ field, message: t`Choose a file, or give its text or address.` });
  problems.push(...own);
  return value;
}

/** @param {Field} field */
const isTouched = (field) => field.text.trim() !== "" || field.extra.trim() !== "";

/** @param {Field} field @param {Problem[]} problems @returns {JsonObject} */
function readExtra(field, problems) {
  if (field.extra.trim() === "") return {};
  const value = readJson({ ...field, kind: "json", schema: { type: "object" } }, field.extra, []);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  problems.push({ field, message: t`Further properties must be a JSON object such as {"name": "value"}.` });
  return {};
}

/**
 * The same fields with variables filled where a number is read. Texts are filled after reading: JSON may stand around them.
 * @param {Field} field
 * @param {(text: string) => string} fill
 * @returns {Field}
 */
export function withNumbersFilled(field, fill) {
  const inside = (/** @type {Field} */ child) => withNumbersFilled(child, fill);
  const text = field.kind === "integer" || field.kind === "number" ? fill(field.text) : field.text;
  return {
    ...field,
    text,
    fields: field.fields.map(inside),
    items: field.items.map(inside),
    branches: field.branches.map(inside),
  };
}

/**
 * All arguments of a form.
 * @param {Field} root
 * @returns {{value: JsonObject, problems: Problem[]}}
 */
export function readForm(root) {
  /** @type {Problem[]} */
  const problems = [];
  return { value: schemaOf(readField(root, problems)), problems };
}

/**
 * Gives a value to every field that has none yet.
 * @param {Field} field
 * @param {JsonValue} value
 */
export function completeField(field, value) {
  if (field.isNull) return;
  if (field.kind === "object" && !isFile(field.schema)) {
    const known = schemaOf(value);
    for (const child of field.fields) if (Object.hasOwn(known, child.name)) completeField(child, known[child.name]);
  } else if (!isFilled(field) || (field.kind === "array" && field.items.length === 0)) fillField(field, value);
}
