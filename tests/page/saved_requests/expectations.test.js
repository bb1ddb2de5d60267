// @ts-check
/** Expectations of answers, and the file of saved requests. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  isEqualJson,
  joinQueries,
  judgeEnding,
  readValueLines,
  writeValueLines,
} from "../../../static/saved_requests/expectations.js";
import { readRequestFile, writeRequestFile } from "../../../static/saved_requests/request_file.js";

test("expected values are lines, and come back with all digits and their comparisons", () => {
  const values = { "length(items[?a == 'x = y'])": 3, id: 12345678901234567890n, "a.b": { c: [null, "=", true] } };
  const { ["length(items[?a == 'x = y'])"]: _odd, ...plain } = values;
  assert.deepEqual(readValueLines(writeValueLines(plain)), plain);
  assert.deepEqual(readValueLines("  items[?a == `1`] | length(@) = 3  \n\n"), { "items[?a == `1`] | length(@)": 3 });
});

test("a line that is no expectation says what is wrong with it", () => {
  assert.throws(() => readValueLines("name: tea"), /QUERY = JSON, not “name: tea”/);
  assert.throws(() => readValueLines("name = tea"), /“name” is not JSON/);
  assert.throws(() => readValueLines(Array.from({ length: 51 }, (_, n) => `a${n} = 1`).join("\n")), /At most 50/);
});

test("all expected values are selected by one query, unless it is too long for the bridge", () => {
  assert.equal(joinQueries({}), "");
  assert.equal(joinQueries({ a: 1, "b || c": 2 }), "[(a), (b || c)]");
  assert.equal(joinQueries({ ["a".repeat(1000)]: 1 }), null);
});

test("an answer is judged by status, time and values", () => {
  const ending = { status: 200, duration_ms: 40, error: "", found: [2, "tea"] };
  assert.deepEqual(judgeEnding({ status: 200, within_ms: 50, values: { a: 2, b: "tea" } }, ending), []);
  assert.deepEqual(judgeEnding({}, { ...ending, status: 404 }), ["Status 404, expected below 400."]);
  assert.deepEqual(judgeEnding({ status: 404 }, { ...ending, status: 404 }), []);
  assert.deepEqual(judgeEnding({ within_ms: 30, values: { a: 3, b: "tea" } }, ending), [
    "It took 40 ms, expected 30 ms at most.",
    "a: 2, expected 3.",
  ]);
  assert.deepEqual(judgeEnding({ values: { a: 1 } }, { ...ending, found: "This answer is not JSON." }), ["This answer is not JSON."]);
  assert.deepEqual(judgeEnding({}, { ...ending, status: null, error: "No page is open." }), ["No page is open."]);
});

test("values are equal as in JSON", () => {
  assert.ok(isEqualJson({ a: 1, b: [2, null] }, { b: [2, null], a: 1 }));
  for (const [one, other] of /** @type {any[]} */ ([[1, true], [1, "1"], [null, false], [[1], { 0: 1 }], [{ a: 1 }, { a: 1, b: 2 }], [[1, 2], [1]]]))
    assert.ok(!isEqualJson(one, other), JSON.stringify([one, other]));
});

test("a file of requests comes back as it was written, and says which request is wrong", () => {
  /** @type {import("../../../static/saved_requests/request_file.js").FileRequest[]} */
  const requests = [
    { name: "two", tool: "listPets", arguments: { id: 12345678901234567890n }, expect: { status: 200, values: { "length(@)": 2 } } },
    { name: "all", tool: "listPets", arguments: {}, expect: {} },
  ];
  assert.deepEqual(readRequestFile(writeRequestFile(requests)), requests);
  assert.ok(!writeRequestFile(requests.slice(1)).includes("expect"));
  for (const text of ["", "{", "[]", '{"format":"tool-bridge requests 2","requests":[]}'])
    assert.throws(() => readRequestFile(text), /not a file of saved requests/);
  const wrong = (/** @type {object} */ more) => JSON.stringify({ format: "tool-bridge requests 1", requests: [{ name: "a", tool: "b", ...more }] });
  for (const more of [{ name: " " }, { tool: 1 }, { arguments: [] }, { expect: { state: 1 } }, { expect: { status: 99 } }, { expect: [] }])
    assert.throws(() => readRequestFile(wrong(more)), /Request 1 of the file/);
});
