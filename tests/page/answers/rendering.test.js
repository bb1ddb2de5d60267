// @ts-check
/** What of an answer becomes a table, and how places and values in JSON are written. */
import assert from "node:assert/strict";
import test from "node:test";
import { copyOf, countMembers, membersOf, pathBelow, previewOf } from "../../../static/answers/json_path.js";
import { findRows } from "../../../static/answers/value_table.js";

test("a place in JSON is written as JSONPath, whatever its name", () => {
  assert.equal(pathBelow(pathBelow(pathBelow("$", "items"), 3), "a-b"), '$.items[3]["a-b"]');
  assert.equal(pathBelow("$", 'say "hi"'), '$["say \\"hi\\""]');
});

test("a text is copied as it is, everything else as JSON, and no digit is lost", () => {
  assert.equal(copyOf("a\nb"), "a\nb");
  assert.equal(copyOf({ id: 12345678901234567890n }), '{"id":12345678901234567890}');
});

test("what is folded shows its beginning in one line", () => {
  assert.equal(previewOf({ id: 1, name: "Ada", tags: ["x"], at: {} }), '{id: 1, name: "Ada", tags: […], at: {…}}');
  assert.equal(previewOf([1, "two", null]), '[1, "two", null]');
  assert.ok(previewOf(Array.from({ length: 1000 }, () => "x".repeat(100))).length < 90);
});

test("a part of a long list is read without the rest", () => {
  const list = Array.from({ length: 250 }, (_, index) => index);
  assert.equal(countMembers(list), 250);
  assert.deepEqual(membersOf(list, 200, 100).map(({ step }) => step).at(-1), 249);
  assert.deepEqual(membersOf({ a: 1, b: 2, c: 3 }, 1, 1), [{ step: "b", value: 2 }]);
});

test("a list of flat objects is a table, with the columns in the order in which they come", () => {
  assert.deepEqual(findRows([{ id: 1 }, { name: "b", id: 2 }])?.columns, ["id", "name"]);
  assert.equal(findRows([{ id: 1 }, 2]), null);
  assert.equal(findRows([]), null);
  assert.equal(findRows([{ a: { b: 1 }, c: [1] }]), null);
});

test("the only list of an object is a table, too; of two lists neither is", () => {
  const found = findRows({ total: 9, items: [{ id: 1 }] });
  assert.deepEqual([found?.path, found?.isWhole], ["$.items", false]);
  assert.equal(findRows({ items: [{ id: 1 }], others: [{ id: 2 }] }), null);
});
