// @ts-check
/** Bars of calls over time. */
import assert from "node:assert/strict";
import test from "node:test";
import { layOutBars } from "../../../static/call_history/call_bars.js";

/** @param {number} calls @param {number} failed */
const part = (calls, failed) => ({ calls, failed, not_made: 0, median_ms: null, p95_ms: null });

test("the tallest bar is the whole height, the failed part of each on top", () => {
  const bars = layOutBars({ parts: [part(2, 1), part(4, 0), part(0, 0)], since: 0, until: 3 });
  assert.deepEqual(bars.map(({ x, height, failedHeight }) => [x, height, failedHeight]), [[0, 0.5, 0.25], [1 / 3, 1, 0], [2 / 3, 0, 0]]);
  assert.match(bars[0]?.words ?? "", /: 2 calls, 1 failed$/);
});

test("without calls there are bars of no height", () => {
  assert.deepEqual(layOutBars({ parts: [part(0, 0)], since: 0, until: 1 }).map(({ height }) => height), [0]);
});
