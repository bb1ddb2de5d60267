// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { findOffsets, findPlaces, MAX_HITS } from "../../../static/answers/answer_search.js";
import { toCsv } from "../../../static/answers/csv.js";
import { changedParts, diffLines } from "../../../static/answers/line_diff.js";

const VALUE = /** @type {any} */ ({ name: "Ada", friends: [{ name: "Grace" }, { city: "Bern, adapted" }], age: 36n });

test("a search finds names and values in the order of the tree", () => {
  assert.deepEqual(findPlaces(VALUE, "ada"), [["name"], ["friends", 1, "city"]]);
  assert.deepEqual(findPlaces(VALUE, "NAME"), [["name"], ["friends", 0, "name"]]);
  assert.deepEqual(findPlaces(VALUE, "36"), [["age"]]);
  assert.deepEqual(findPlaces(VALUE, ""), []);
  assert.equal(findPlaces(Array(3000).fill("x"), "x").length, MAX_HITS);
});

test("a search in a text finds each place once, whatever the case", () => {
  assert.deepEqual(findOffsets("abcABC", "Bc"), [1, 4]);
  assert.deepEqual(findOffsets("abc", ""), []);
});

test("a table becomes CSV that a spreadsheet reads as data, never as a formula", () => {
  /** @type {any[]} */
  const rows = [
    { id: 1, name: 'He said "no", twice', tags: ["a", "b"] },
    { id: -2, name: "=HYPERLINK(1)", more: null },
    { id: 9007199254740993n, name: "line\nbreak" },
  ];
  assert.equal(
    toCsv({ rows, columns: ["id", "name", "tags"] }),
    'id,name,tags\r\n1,"He said ""no"", twice","[""a"",""b""]"\r\n-2,\'=HYPERLINK(1),\r\n9007199254740993,"line\nbreak",\r\n',
  );
});

test("two answers are compared line by line, and equal stretches are left out", () => {
  const lines = diffLines("a\nb\nc\nd", "a\nx\nc\nd\ne");
  assert.deepEqual(lines.map(({ kind, text }) => `${kind} ${text}`), ["same a", "removed b", "added x", "same c", "same d", "added e"]);
  assert.deepEqual(diffLines("a", "a").map(({ kind }) => kind), ["same"]);
  const long = diffLines(Array.from({ length: 50 }, (_, n) => n).join("\n"), Array.from({ length: 50 }, (_, n) => (n === 25 ? "x" : n)).join("\n"));
  assert.deepEqual(changedParts(long).map((line) => line?.text ?? null), [null, "22", "23", "24", "25", "x", "26", "27", "28", null]);
});

test("answers that differ in too many lines to pair are told as removed and added", () => {
  const of = (/** @type {string} */ mark) => Array.from({ length: 3000 }, (_, n) => `${mark}${n}`).join("\n");
  const kinds = diffLines(of("a"), of("b")).map(({ kind }) => kind);
  assert.deepEqual([kinds.length, kinds[0], kinds[5999]], [6000, "removed", "added"]);
});
