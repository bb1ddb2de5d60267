// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson, stringifyJson } from "../../../static/base/json_text.js";

test("integers beyond 2^53 survive parsing and writing: ids of real APIs are 64 bit", () => {
  const text = '{"id":9007199254740993,"negative":-9223372036854775808,"list":[18446744073709551615]}';
  const parsed = /** @type {any} */ (parseJson(text));
  assert.equal(parsed.id, 9007199254740993n);
  assert.equal(stringifyJson(parsed), text);
});

test("what a double holds exactly stays a number", () => {
  assert.deepEqual(parseJson("[9007199254740991, -9007199254740991, 1234567890.1234567890, 1e20]"), [
    9007199254740991, -9007199254740991, 1234567890.1234567, 1e20,
  ]);
});

test("digits inside strings and keys are left alone", () => {
  const text = '{"12345678901234567890":"say \\"98765432109876543210\\" \\\\","n":12345678901234567890}';
  assert.deepEqual(parseJson(text), { "12345678901234567890": 'say "98765432109876543210" \\', n: 12345678901234567890n });
});

test("broken JSON is refused even when long integers are in it", () => {
  for (const text of ["{'a': 12345678901234567890}", "012345678901234567890", "[12345678901234567890", "1 12345678901234567890"])
    assert.throws(() => parseJson(text), SyntaxError);
});

test("a key named __proto__ is a key and nothing else", () => {
  const parsed = /** @type {any} */ (parseJson('{"__proto__":{"polluted":12345678901234567890}}'));
  assert.equal(parsed.polluted, undefined);
  assert.equal(Object.keys(parsed).length, 1);
});

test("of a name that is written twice the last counts, as where the bridge checks the arguments", () => {
  assert.deepEqual(parseJson('{"limit":"many","limit":2}'), { limit: 2 });
  assert.deepEqual(parseJson('{"id":12345678901234567890,"id":"x"}'), { id: "x" });
});

test("writing without BigInt is JSON.stringify", () => {
  const value = { a: [1, "x", null, true], b: { c: 'quo"te' } };
  assert.equal(stringifyJson(value), JSON.stringify(value));
});
