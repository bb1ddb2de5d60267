// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineHeights } from "../../../static/windowed_list/line_heights.js";

test("the line at a place is found by what the lines before it measure", () => {
  const lines = new LineHeights([10, 20, 30]);
  assert.deepEqual([-5, 0, 9, 10, 29, 30, 59, 60, 999].map((y) => lines.lineAt(y)), [0, 0, 0, 1, 1, 2, 2, 2, 2]);
  assert.equal(lines.totalHeight, 60);
});

test("a measured line moves those after it, and says so only if it is another height", () => {
  const lines = new LineHeights([10, 20, 30]);
  assert.equal(lines.measureLines([[1, 20.3]]), false);
  assert.equal(lines.measureLines([[1, 50]]), true);
  assert.deepEqual([0, 1, 2].map((index) => lines.offsetOf(index)), [0, 10, 60]);
  assert.equal(lines.totalHeight, 90);
});

test("an empty list has no line", () => {
  assert.deepEqual([new LineHeights([]).lineAt(0), new LineHeights([]).totalHeight], [-1, 0]);
});
