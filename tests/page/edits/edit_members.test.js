// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { membersOfArgument, membersOfTool, readMember, textOf } from "../../../static/edits/edit_members.js";

/** @typedef {import("../../../static/edits/edit_members.js").Member} Member */

const tool = membersOfTool(/** @type {any} */ ({ name: "listAll", description: "All of them" }));
const place = /** @type {any} */ ({ name: "limit", sent_as: "limit", description: "How\r\nmany" });
const number = membersOfArgument(place, { type: "integer", default: 20 });
const word = membersOfArgument(place, { type: "string" });

/** @param {Member[]} members @param {string} name @param {string} text */
function read(members, name, text) {
  const member = /** @type {Member} */ (members.find((each) => each.name === name));
  return readMember(member, text);
}

test("what stands in the document is no edit, nor is an empty field", () => {
  assert.deepEqual(read(tool, "name", "listAll"), {});
  assert.deepEqual(read(tool, "description", "  "), {});
  assert.deepEqual(read(number, "default", "20"), {});
  assert.deepEqual(read(tool, "hidden", ""), {});
  assert.deepEqual(read(number, "description", "How\nmany"), {}, "a field of the page has one kind of line ends");
});

test("values are typed as JSON, but texts as they are", () => {
  assert.deepEqual(read(number, "default", " 12345678901234567890 "), { value: 12345678901234567890n });
  assert.deepEqual(read(number, "fixed", "many"), { problem: "This is not JSON." });
  assert.deepEqual(read(word, "fixed", "many"), { value: "many", doubt: "" });
  assert.deepEqual(read(word, "default", '"quoted"'), { value: '"quoted"' });
  assert.deepEqual(read(tool, "hidden", "true"), { value: true });
  assert.equal(textOf(12345678901234567890n, false), "12345678901234567890");
  assert.equal(textOf("many", true), "many");
});

test("a value that the document does not describe is said, at any depth", () => {
  const schema = /** @type {any} */ ({
    type: ["array", "null"],
    items: { type: "object", required: ["id"], properties: { id: { type: "integer", minimum: 1 } } },
  });
  const list = membersOfArgument(place, schema);
  const sort = membersOfArgument(place, { type: "string", enum: ["asc", "desc"] });
  const either = membersOfArgument(place, { anyOf: [{ type: "integer" }, { type: "string", maxLength: 2 }] });
  const wrong = [
    read(number, "default", '"many"'),
    read(number, "default", "1.5"),
    read(sort, "default", "up"),
    read(list, "default", "5"),
    read(list, "default", "[{}]"),
    read(list, "default", '[{"id": 0}]'),
    read(either, "default", '"long"'),
    read(either, "default", "true"),
  ];
  assert.deepEqual(
    wrong.map(({ problem }) => problem),
    [
      "The document asks for integer.",
      "The document asks for integer.",
      "The document allows only asc, desc.",
      "The document asks for array.",
      "It lacks id.",
      "It is at least 1.",
      "The document asks for integer.",
      "The document asks for integer.",
    ],
  );
  for (const [members, text] of /** @type {[Member[], string][]} */ ([
    [number, "12345678901234567890"],
    [list, "null"],
    [list, '[{"id": 1}]'],
    [either, '"ab"'],
    [membersOfArgument(place, {}), '{"any": [1]}'],
  ]))
    assert.notEqual(read(members, "default", text).value, undefined, text);
});

test("a fixed value is sent as it is typed, because documents are wrong at times", () => {
  assert.deepEqual(read(number, "fixed", "1.5"), {
    value: 1.5,
    doubt: "The document asks for integer. It is sent as it is.",
  });
  assert.deepEqual(read(number, "fixed", "1"), { value: 1, doubt: "" });
});

test("what no overlay may have is said before it is sent", () => {
  const problems = [
    read(tool, "name", "not a name"),
    read(word, "name", "no/slash"),
    read(tool, "order", "1.5"),
    read(tool, "order", "1000001"),
    read(tool, "examples", '{"id": 7}'),
    read(tool, "result_select", "x".repeat(1001)),
    read(tool, "description", "x".repeat(50_001)),
  ];
  assert.deepEqual(
    problems.map(({ problem }) => typeof problem),
    problems.map(() => "string"),
  );
  assert.deepEqual(read(tool, "examples", '[{"id": 7}]'), { value: [{ id: 7 }] });
  assert.deepEqual(read(word, "name", "page.size"), { value: "page.size" });
  assert.deepEqual(read(tool, "approval", "ask"), { value: "ask" });
});
