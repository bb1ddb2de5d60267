// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallLog, KEPT_CALLS, SHORT_CHARS, WHOLE_CHARS } from "../../../static/executor/call_log.js";
import { call } from "../support/runner_bench.js";

/** @param {string} preview @returns {import("../../../static/types/types.d.ts").LoggedResponse} */
const response = (preview) => ({
  http_status: 200,
  status_text: "",
  content_type: "text/plain",
  headers: {},
  preview,
  bytes: preview.length,
  total_bytes: preview.length,
  cut_by: null,
  kind: "text",
  is_kept: false,
});

test("long answers of old calls shrink when the log gets large, those of new calls stay whole", () => {
  const log = new CallLog(() => undefined, () => 0);
  const long = "x".repeat(WHOLE_CHARS / 4);
  for (const call_id of ["a", "b", "c", "d", "e"]) {
    log.callStarted(call({ call_id }));
    log.answerRead(call({ call_id }), response(long));
  }
  assert.deepEqual(log.entries.map((entry) => entry.response?.preview.length), [SHORT_CHARS, ...Array(4).fill(long.length)]);
});

test("the oldest call leaves a full log", () => {
  const log = new CallLog(() => undefined, () => 0);
  for (let number = 0; number <= KEPT_CALLS; number += 1) log.callStarted(call({ call_id: `c${number}` }));
  assert.deepEqual([log.entries.length, log.entries[0].call_id], [KEPT_CALLS, "c1"]);
});
