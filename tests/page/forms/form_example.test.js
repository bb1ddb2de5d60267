// @ts-check
/** Filling a form with examples, and which of its fields are shown at once. */
import assert from "node:assert/strict";
import test from "node:test";
import { exampleOf } from "../../../static/base/schema_example.js";
import { createField, fillField } from "../../../static/forms/form_state.js";
import { completeField, isFilled, readForm } from "../../../static/forms/form_values.js";
import { MAX_OPTIONAL, splitFields } from "../../../static/forms/form_fold.js";

/** @param {any} properties @param {string[]} [required] */
const objectOf = (properties, required = []) => ({ type: "object", properties, required });
const text = { type: "string" };

/** @param {{name: string}[]} fields */
const names = (fields) => fields.map(({ name }) => name);

test("what the document gives comes first: an example, then a default, then a choice", () => {
  assert.equal(exampleOf({ type: "string", examples: ["Ada"], default: "Bob" }), "Ada");
  assert.equal(exampleOf({ type: "string", example: "Ada", enum: ["Eve"] }), "Ada");
  assert.equal(exampleOf({ type: "string", default: "Bob", enum: ["Eve"] }), "Bob");
  assert.equal(exampleOf({ enum: [null, "Eve"] }), "Eve");
});

test("what is made up fits the type, the format and the limits", () => {
  assert.equal(exampleOf({ type: "string", format: "date" }), "2026-01-31");
  assert.equal(exampleOf({ type: "string", minLength: 6 }), "textxx");
  assert.equal(exampleOf({ type: "string", maxLength: 2 }), "te");
  assert.equal(exampleOf({ type: "integer", exclusiveMinimum: 9 }), 10);
  assert.equal(exampleOf({ type: "integer", minimum: 9, exclusiveMinimum: true }), 10);
  assert.equal(exampleOf({ type: "integer", minimum: 11, multipleOf: 5 }), 15);
  assert.equal(exampleOf({ type: "number", maximum: -3 }), -3);
  assert.deepEqual(exampleOf({ type: "array", items: text, minItems: 2 }), ["text", "text"]);
  assert.deepEqual(exampleOf({ type: "array", items: { type: "array", items: { type: "integer" } } }), [[1]]);
});

test("required arguments are filled, and of the others those that the document exemplifies", () => {
  const schema = objectOf({ id: { type: "integer" }, note: text, tag: { type: "string", examples: ["new"] }, page: { type: "integer", default: 1 } }, ["id"]);
  assert.deepEqual(exampleOf(schema, { withOptional: true }), { id: 1, tag: "new" });
  assert.deepEqual(exampleOf(schema), { id: 1 });
});

test("of several schemas that hold together the example has the properties of all", () => {
  const named = objectOf({ name: text });
  assert.deepEqual(exampleOf({ allOf: [named, objectOf({ id: { type: "integer" } })] }, { withAll: true }), { name: "text", id: 1 });
  assert.deepEqual(exampleOf({ ...objectOf({ own: text }), allOf: [named] }, { withAll: true }), { name: "text", own: "text" });
  assert.equal(exampleOf({ allOf: [{ type: "string", maxLength: 2 }, { description: "Two letters" }] }), "te");
});

test("a file is made up as a file, and a schema without end ends", () => {
  const file = objectOf({ base64: text, text, url: text, filename: text, content_type: text });
  assert.deepEqual(exampleOf(objectOf({ file }, ["file"])), { file: { text: "Example", filename: "example.txt", content_type: "text/plain" } });
  /** @type {any} */
  const endless = objectOf({}, ["inner"]);
  endless.properties.inner = endless;
  assert.ok(JSON.stringify(exampleOf(endless)).length < 200);
});

test("filling keeps what is typed, also inside objects, and begins a required list", () => {
  const schema = objectOf({ name: text, place: objectOf({ city: text, street: text }, ["city", "street"]), items: { type: "array", items: text } }, ["name", "place", "items"]);
  const root = createField(schema);
  fillField(root, { place: { city: "Bern" } });
  completeField(root, exampleOf(schema, { withOptional: true }));
  assert.deepEqual(readForm(root), { value: { name: "text", place: { city: "Bern", street: "text" }, items: ["text"] }, problems: [] });
});

test("many optional fields are folded, but not what is required, filled, or needed once a body is sent", () => {
  const optional = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`o${index}`, text]));
  const root = createField(objectOf({ ...optional, id: text, body: { type: "string", description: "Required when a body is sent." } }, ["id", "body"]));
  root.fields[2].text = "x";
  const { shown, folded } = splitFields(root.fields);
  assert.deepEqual([names(shown), names(folded)], [["o2", "id", "body"], ["o0", "o1", "o3", "o4", "o5", "o6", "o7"]]);
});

test("few optional fields are not folded, and where nothing is required the first ones are shown", () => {
  const few = Object.fromEntries(Array.from({ length: MAX_OPTIONAL }, (_, index) => [`o${index}`, text]));
  assert.deepEqual(splitFields(createField(objectOf({ ...few, id: text }, ["id"])).fields).folded, []);
  const { shown, folded } = splitFields(createField(objectOf({ ...few, a: text, b: text, c: text })).fields);
  assert.deepEqual([shown.length, names(folded)], [MAX_OPTIONAL, ["a", "b", "c"]]);
  assert.deepEqual(splitFields(createField(objectOf({ ...few, a: text, b: text })).fields).folded, []);
});

test("a field counts as filled when something wrong stands in it, too", () => {
  const root = createField(objectOf({ size: { type: "integer" }, other: text }));
  root.fields[0].text = "big";
  assert.deepEqual(root.fields.map(isFilled), [true, false]);
});
