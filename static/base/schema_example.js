// @ts-check
/** A value that fits a schema: what the document gives as an example, a default or a choice, else something made up by type and format. Pure. */
import { dictionaryOf, memberOf } from "./dictionary.js";
import { branchesOf, choicesOf, effectiveSchema, isBase64Text, isFile, kindOf, schemaOf } from "./argument_schema.js";

/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */

const MAX_DEPTH = 6;
/** Longer made-up texts and lists say no more than shorter ones; the API says so if it wants them. */
const MAX_MADE_UP = 200;
const MAX_ITEMS = 5;

/** By `format`. @type {Record<string, string>} */
const TEXTS = dictionaryOf({
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "ada@example.com",
  "idn-email": "ada@example.com",
  hostname: "api.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "/example",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  byte: "ZXhhbXBsZQ==",
  regex: ".*",
  "json-pointer": "/example",
});

/**
 * @param {JsonSchema} schema
 * @param {{withOptional?: boolean, withAll?: boolean}} [choice] withOptional: also optional properties for which the document gives an example; withAll: all
 * @param {number} [depth]
 * @returns {JsonValue}
 */
export function exampleOf(schema, choice = {}, depth = 0) {
  const used = effectiveSchema(schema);
  const given = givenExample(used);
  if (given !== undefined) return given;
  if (Array.isArray(used.allOf) && used.allOf.length > 0 && depth <= MAX_DEPTH)
    return exampleOfAll(used, choice, depth);
  const kind = kindOf(used, depth);
  if (kind === "union") return exampleOf(branchesOf(used)[0], choice, depth + 1);
  if (kind === "array" || (kind === "json" && used.type === "array")) return exampleItems(used, choice, depth);
  if (kind === "boolean") return true;
  if (kind === "integer" || kind === "number") return exampleNumber(used, kind === "integer");
  if (kind === "string") return exampleText(used);
  if (isFile(used)) return { text: "Example", filename: "example.txt", content_type: "text/plain" };
  return exampleObject(used, choice, depth);
}

/** What fits all parts together: the properties of all; of parts that are no objects the first. @param {JsonSchema} schema @param {{withOptional?: boolean, withAll?: boolean}} choice @param {number} depth @returns {JsonValue} */
function exampleOfAll({ allOf, ...own }, choice, depth) {
  const parts = [...(Array.isArray(allOf) ? allOf.map(schemaOf) : []), ...("properties" in own ? [own] : [])];
  const examples = parts.map((part) => exampleOf(part, choice, depth + 1));
  const isObject = (/** @type {JsonValue} */ value) =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return examples.every(isObject)
    ? Object.fromEntries(examples.flatMap((each) => Object.entries(schemaOf(each))))
    : (examples.find((each) => !isObject(each)) ?? null);
}

/** What the document itself gives. @param {JsonSchema} schema @returns {JsonValue | undefined} */
export function givenExample(schema) {
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const choice = choicesOf(schema).find((each) => each !== null);
  return [examples[0], schema.example, schema.default, choice].find((given) => given !== undefined);
}

/** @param {JsonSchema} schema @param {{withOptional?: boolean, withAll?: boolean}} choice @param {number} depth @returns {JsonValue} */
function exampleItems(schema, choice, depth) {
  if (depth > MAX_DEPTH) return [];
  const count = Math.min(Math.max(Number(schema.minItems ?? 1), 1), MAX_ITEMS);
  return Array.from({ length: count }, () => exampleOf(schemaOf(schema.items), choice, depth + 1));
}

/** @param {JsonSchema} schema @param {{withOptional?: boolean, withAll?: boolean}} choice @param {number} depth @returns {JsonObject} */
function exampleObject(schema, choice, depth) {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const properties = schemaOf(schema.properties);
  const given = (/** @type {string} */ name) =>
    choice.withAll === true || (choice.withOptional === true && hasGiven(schemaOf(memberOf(properties, name))));
  const names = [...Object.keys(properties).filter((name) => required.includes(name) || given(name))];
  const rest = required.filter((name) => !Object.hasOwn(properties, name));
  if (depth > MAX_DEPTH) return {};
  return Object.fromEntries(
    [...names, ...rest].map((name) => [name, exampleOf(schemaOf(memberOf(properties, name)), choice, depth + 1)]),
  );
}

/** Whether the document gives an example of its own; a default or a choice is no reason to send what is optional. @param {JsonSchema} schema */
function hasGiven(schema) {
  const used = effectiveSchema(schema);
  return used.example !== undefined || (Array.isArray(used.examples) && used.examples.length > 0);
}

/** @param {JsonSchema} schema @param {boolean} isWhole */
function exampleNumber(schema, isWhole) {
  const step = Number(schema.multipleOf ?? 0);
  const least = limitOf(schema.minimum, schema.exclusiveMinimum, isWhole ? 1 : 0.5);
  const most = limitOf(schema.maximum, schema.exclusiveMaximum, isWhole ? -1 : -0.5);
  const wanted = least ?? Math.min(1, most ?? 1);
  return step > 0 ? Math.ceil(wanted / step) * step : wanted;
}

/** @param {JsonValue | undefined} limit @param {JsonValue | undefined} exclusive @param {number} inside how far inside an exclusive one @returns {number | undefined} */
function limitOf(limit, exclusive, inside) {
  if (exclusive === true && limit !== undefined) return Number(limit) + inside; // OpenAPI 3.0
  if (typeof exclusive === "number") return exclusive + inside;
  return limit === undefined ? undefined : Number(limit);
}

/** @param {JsonSchema} schema */
function exampleText(schema) {
  const text = isBase64Text(schema) ? TEXTS.byte : (TEXTS[String(schema.format ?? "")] ?? "text");
  const least = Math.min(Number(schema.minLength ?? 0), MAX_MADE_UP);
  const most = Number(schema.maxLength ?? MAX_MADE_UP);
  return (text.length < least ? text.padEnd(least, "x") : text).slice(0, Math.max(most, 0));
}
