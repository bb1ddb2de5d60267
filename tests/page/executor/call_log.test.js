// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallLog, MAX_CALLS, SHORTENED_CHARS, MAX_TEXT_CHARS } from "../../../static/executor/call_log.js";
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
  is_stored: false,
});

test("long answers of old calls shrink when the log gets large, those of new calls stay whole", () => {
  const log = new CallLog(() => undefined, () => 0);
  const long = "x".repeat(MAX_TEXT_CHARS / 4);
  for (const call_id of ["a", "b", "c", "d", "e"]) {
    log.callStarted(call({ call_id }));
    log.answerRead(call({ call_id }), response(long));
  }
  assert.deepEqual(log.entries.map((entry) => entry.response?.preview.length), [SHORTENED_CHARS, ...Array(4).fill(long.length)]);
});

test("the oldest call leaves a full log", () => {
  const log = new CallLog(() => undefined, () => 0);
  for (let number = 0; number <= MAX_CALLS; number += 1) log.callStarted(call({ call_id: `c${number}` }));
  assert.deepEqual([log.entries.length, log.entries[0].call_id], [MAX_CALLS, "c1"]);
});
