// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { kindOf, branchesOf, describeField } from "../../../static/base/argument_schema.js";
import { createField, createItem, fillField } from "../../../static/forms/form_state.js";
import { readForm } from "../../../static/forms/form_values.js";
import { exampleOf } from "../../../static/base/schema_example.js";
import { prettyJson } from "../../../static/ui/json_display.js";
import { parseJson, stringifyJson } from "../../../static/base/json_text.js";

/** @typedef {import("../../../static/forms/form_state.js").Field} Field */

/** @param {any} properties @param {string[]} [required] */
const objectOf = (properties, required = []) => ({ type: "object", properties, required });

/** @param {Field} root @param {string} name @returns {Field} */
function child(root, name) {
  const found = root.fields.find((field) => field.name === name);
  assert.ok(found, `no field ${name}`);
  return found;
}

/** @param {any} properties @param {Record<string, string>} typed @param {string[]} [required] */
function submit(properties, typed, required) {
  const root = createField(objectOf(properties, required));
  for (const [name, text] of Object.entries(typed)) child(root, name).text = text;
  const { value, problems } = readForm(root);
  return { value, problems: problems.map(({ field, message }) => `${field.name}: ${message}`) };
}

test("an empty optional field is left out, so that the API's own default applies", () => {
  assert.deepEqual(submit({ limit: { type: "integer", default: 10 }, name: { type: "string" } }, {}), {
    value: {},
    problems: [],
  });
});

test("a required field that is empty is a problem named after it", () => {
  assert.deepEqual(submit({ id: { type: "integer" } }, {}, ["id"]).problems, ["id: This argument is required."]);
});

test("a property that only a sent body needs may stay empty", () => {
  const name = { type: "string", description: "Of the pet. Required when a body is sent. May be null." };
  assert.deepEqual(submit({ name }, {}, ["name"]), { value: {}, problems: [] });
});

test("a required field begins with its default", () => {
  assert.deepEqual(submit({ unit: { type: "string", default: "C" } }, {}, ["unit"]).value, { unit: "C" });
});

test("a default inside an optional object does not by itself send the object", () => {
  const place = objectOf({ unit: { type: "string", default: "C" } }, ["unit"]);
  assert.deepEqual(submit({ place }, {}).value, {});
});

test("an integer beyond 2^53 keeps all its digits", () => {
  const { value } = submit({ id: { type: "integer" } }, { id: "12345678901234567890" });
  assert.equal(stringifyJson(value), '{"id":12345678901234567890}');
});

test("text in a number field is a problem, not a NaN", () => {
  const { value, problems } = submit(
    { id: { type: "integer" }, share: { type: "number" } },
    { id: "1.5", share: "half" },
  );
  assert.deepEqual(value, {});
  assert.deepEqual(problems, ["id: Expected a whole number.", "share: Expected a number."]);
});

test("numbers in all their usual spellings are read", () => {
  const typed = { a: "-3", b: "1e3", c: ".5", d: " 7 " };
  const number = { type: "number" };
  assert.deepEqual(submit({ a: number, b: number, c: number, d: number }, typed).value, {
    a: -3,
    b: 1000,
    c: 0.5,
    d: 7,
  });
});

test("a text is sent as typed, spaces included", () => {
  assert.deepEqual(submit({ q: { type: "string" } }, { q: "  two words " }).value, { q: "  two words " });
});

test("a choice gives the value itself, whatever its type", () => {
  const level = { enum: ["low", 2, null] };
  assert.equal(kindOf(level), "enum");
  assert.deepEqual(submit({ level }, { level: "1" }).value, { level: 2 });
  assert.deepEqual(submit({ level }, { level: "2" }).value, { level: null });
});

test("a boolean has three answers: true, false and not given", () => {
  const flag = { type: "boolean" };
  assert.deepEqual(submit({ a: flag, b: flag, c: flag }, { a: "true", b: "false" }).value, { a: true, b: false });
});

test("the user may choose null where the schema allows it", () => {
  const root = createField(objectOf({ note: { type: ["string", "null"] } }));
  child(root, "note").isNull = true;
  assert.deepEqual(readForm(root).value, { note: null });
});

test("a list gives its items in order, and an empty optional list is left out", () => {
  const root = createField(objectOf({ tags: { type: "array", items: { type: "string" } } }));
  const tags = child(root, "tags");
  assert.deepEqual(readForm(root).value, {});
  for (const text of ["one", "", "two"]) tags.items.push({ ...createItem(tags), text });
  assert.deepEqual(readForm(root).value, { tags: ["one", "", "two"] });
});

test("a required list that is empty is sent as an empty list", () => {
  assert.deepEqual(submit({ ids: { type: "array", items: { type: "integer" } } }, {}, ["ids"]).value, { ids: [] });
});

test("Finding F-14: a list with too few or too many items is named by the form, not after it was sent", () => {
  const items = { type: "integer" };
  const list = { type: "array", items, minItems: 1, maxItems: 2 };
  const pair = { type: "array", items: { type: "array", items, minItems: 2 } };
  /** @param {any} properties @param {any} value @param {string[]} [required] */
  const problems = (properties, value, required) => {
    const root = createField(objectOf(properties, required));
    fillField(root, value);
    return readForm(root).problems.map(({ field, message }) => `${field.name}: ${message}`);
  };
  assert.deepEqual(problems({ ids: list }, {}, ["ids"]), ["ids: Add at least 1 item."]);
  assert.deepEqual(problems({ ids: list }, {}), [], "an optional list may be left out");
  assert.deepEqual(problems({ ids: list }, { ids: [1, 2, 3] }), ["ids: At most 2 items fit."]);
  assert.deepEqual(problems({ ids: list }, { ids: [1, 2] }, ["ids"]), []);
  assert.deepEqual(problems({ pairs: pair }, { pairs: [[1]] }), [": Add at least 2 items."], "a list within a list has its name from the form");
});

test("an optional object nobody touched asks for nothing", () => {
  const owner = objectOf({ name: { type: "string" } }, ["name"]);
  assert.deepEqual(submit({ owner }, {}), { value: {}, problems: [] });
});

test("an optional object that was begun must be complete", () => {
  const owner = objectOf({ name: { type: "string" }, city: { type: "string" } }, ["name"]);
  const root = createField(objectOf({ owner }));
  child(child(root, "owner"), "city").text = "Bern";
  assert.deepEqual(
    readForm(root).problems.map(({ field }) => field.name),
    ["name"],
  );
});

test("a wrong number inside an untouched-looking object is still reported", () => {
  const root = createField(objectOf({ box: objectOf({ size: { type: "integer" } }) }));
  child(child(root, "box"), "size").text = "big";
  assert.equal(readForm(root).problems.length, 1);
});

test("a union reads the alternative that is chosen", () => {
  const target = { anyOf: [objectOf({ id: { type: "integer" } }, ["id"]), { type: "string" }] };
  const root = createField(objectOf({ target }, ["target"]));
  const union = child(root, "target");
  union.branch = 1;
  union.branches[1].text = "main";
  assert.deepEqual(readForm(root).value, { target: "main" });
});

test("a list of types is a union, and the five-type form of anything is JSON text", () => {
  assert.equal(kindOf({ type: ["string", "integer"] }), "union");
  const anything = { anyOf: ["string", "number", "boolean", "object", "array"].map((type) => ({ type })) };
  assert.equal(kindOf(anything), "json");
  assert.equal(branchesOf(anything).length, 5);
});

test("free-form JSON says what is wrong with it", () => {
  const meta = { type: "object", additionalProperties: { type: "string" } };
  assert.equal(kindOf(meta), "json");
  assert.match(submit({ meta }, { meta: "{nope" }).problems[0], /not JSON/);
  assert.match(submit({ meta }, { meta: "[1]" }).problems[0], /JSON object/);
  assert.deepEqual(submit({ meta }, { meta: '{"a":"b"}' }).value, { meta: { a: "b" } });
});

test("further properties of the root are merged, and declared ones win", () => {
  const root = createField({ ...objectOf({ a: { type: "integer" } }), additionalProperties: true });
  child(root, "a").text = "1";
  root.extra = '{"a": 2, "b": 3}';
  assert.deepEqual(readForm(root).value, { a: 1, b: 3 });
});

test("what is filled in is read back unchanged, at every depth", () => {
  const schema = objectOf({
    id: { type: "integer" },
    kind: { enum: ["a", "b"] },
    open: { type: "boolean" },
    tags: { type: "array", items: { type: ["string", "null"] } },
    owner: objectOf({ name: { type: "string" }, rank: { type: "number" } }, ["name"]),
    target: { anyOf: [objectOf({ id: { type: "integer" } }, ["id"]), { type: "string" }] },
    list: { type: "array", items: objectOf({ n: { type: "integer" } }) },
  });
  const text =
    '{"id":98765432109876543210,"kind":"b","open":false,"tags":["x",null],"owner":{"name":"N","rank":0.5},"target":{"id":4},"list":[{"n":1},{"n":2}]}';
  const root = createField(schema);
  fillField(root, parseJson(text));
  const { value, problems } = readForm(root);
  assert.deepEqual(problems, []);
  assert.equal(stringifyJson(value), text);
});

test("a property the schema does not know survives the way through the form", () => {
  const root = createField(objectOf({ a: { type: "string" } }));
  fillField(root, { a: "x", b: [1] });
  assert.deepEqual(readForm(root).value, { b: [1], a: "x" });
});

test("very deep objects end as JSON text instead of endless boxes", () => {
  /** @type {any} */
  let schema = { type: "string" };
  for (let depth = 0; depth < 12; depth += 1) schema = objectOf({ inner: schema }, ["inner"]);
  let field = createField(schema);
  while (field.kind === "object") field = field.fields[0];
  assert.equal(field.kind, "json");
});

test("limits stand beside the name", () => {
  assert.equal(describeField({ type: "integer", minimum: 1, maximum: 9 }, "integer"), "integer · 1–9");
  assert.equal(describeField({ type: ["string", "null"], maxLength: 5 }, "string"), "string · ≤ 5 characters · may be null");
});

test("pretty JSON reads back as the same value and keeps long integers", () => {
  const text = '{"a":[1,12345678901234567890,{}],"b":{"c":"d"},"e":[]}';
  const pretty = prettyJson(parseJson(text));
  assert.equal(stringifyJson(parseJson(pretty)), text);
  assert.ok(pretty.includes("\n    12345678901234567890,\n"));
});

test("an example holds every required argument and only those", () => {
  const schema = objectOf({ id: { type: "integer", minimum: 5 }, kind: { enum: ["x"] }, note: { type: "string" } }, [
    "id",
    "kind",
  ]);
  assert.deepEqual(exampleOf(schema), { id: 5, kind: "x" });
});
