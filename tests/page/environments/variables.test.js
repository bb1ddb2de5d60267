// @ts-check
/** Variables in what is typed, and in base addresses. */
import assert from "node:assert/strict";
import test from "node:test";

import { fillAddress, fillText, fillTexts, placesIn, readVariables, valuesOf, writeVariables } from "../../../static/environments/variables.js";
import { createField, fillField } from "../../../static/forms/form_state.js";
import { readForm, withNumbersFilled } from "../../../static/forms/form_values.js";

const VALUES = valuesOf([
  { name: "user", value: "ada" },
  { name: "id", value: "12345678901234567890" },
  { name: "odd", value: "$& {{user}}" },
]);

test("every text of the arguments is filled, once, and a place without a value stays", () => {
  const typed = { name: "x-{{ user }}-{{none}}", list: [{ deep: "{{user}}" }, 7, true, null], "{{user}}": "{{odd}}", big: 12345678901234567890n };
  assert.deepEqual(fillTexts(typed, VALUES), { name: "x-ada-{{none}}", list: [{ deep: "ada" }, 7, true, null], "{{user}}": "$& {{user}}", big: 12345678901234567890n });
  assert.deepEqual(placesIn(typed), ["user", "none", "odd"]);
  assert.deepEqual(placesIn({ a: "{{#each}} {user} {{}}" }), []);
});

test("a number may be a variable: with all its digits once it has a value, and kept as it was typed until then", () => {
  const form = createField({ type: "object", properties: { n: { type: "integer" }, list: { type: "array", items: { type: "number" } } } });
  fillField(form, { n: "{{id}}", list: ["{{none}}"] });
  const filled = readForm(withNumbersFilled(form, (text) => fillText(text, VALUES)));
  assert.deepEqual(filled.value, { n: 12345678901234567890n, list: ["{{none}}"] });
  assert.deepEqual(filled.problems.map(({ message }) => message), ["Expected a number: the environment in use has none for {{none}}."]);
  assert.deepEqual(readForm(form).value, { n: "{{id}}", list: ["{{none}}"] });
});

test("a base address takes variables in one pair of braces or two, and names the one that is missing", () => {
  const values = valuesOf([{ name: "region", value: "eu" }]);
  assert.equal(fillAddress("https://{region}.api.example/{{region}}", values), "https://eu.api.example/eu");
  assert.throws(() => fillAddress("https://{zone}.api.example", values), { message: "The base address has {zone}, and no variable has this name." });
});

test("variables are read one a line, and written the same way", () => {
  const variables = readVariables("user = ada\n\n token=a=b = c \nempty =\n");
  assert.deepEqual(variables, [{ name: "user", value: "ada" }, { name: "token", value: "a=b = c" }, { name: "empty", value: "" }]);
  assert.deepEqual(readVariables(writeVariables(variables)), variables);
});

test("what is no variable is refused, and a secret that stands there is not repeated", () => {
  assert.throws(() => readVariables("a = 1\na = 2"), /twice/);
  assert.throws(() => readVariables("has space = 1"), /no variable/);
  assert.throws(() => readVariables("a-very-long-secret-without-a-name"), (/** @type {Error} */ { message }) => !message.includes("secret"));
  assert.throws(() => readVariables(`a = ${"x".repeat(4001)}`), /4,000/);
  assert.throws(() => readVariables(Array.from({ length: 51 }, (_, index) => `v${index} = 1`).join("\n")), /at most 50/);
});
