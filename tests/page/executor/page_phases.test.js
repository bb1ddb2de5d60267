// @ts-check
// Where the page's time goes, as it tells the bridge.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bench, call, GET_THINGS, never } from "../support/runner_bench.js";

test("what took the time is said, phase by phase, as far as the call came", async () => {
  let at = 0;
  /** @param {number} ms @param {any} [value] */
  const after = (ms, value) => ((at += ms), value);
  const long = Response.json({ text: "x".repeat(60) });
  const { runner } = bench(GET_THINGS, {
    now: () => at,
    loadCredentials: async () => after(5, {}),
    fetch: async () => after(20, long),
    uploadResult: async () => after(7),
  });
  assert.deepEqual((await runner.runCall(call(), never)).phases, { prepare_ms: 5, request_ms: 20, read_ms: 0, upload_ms: 7 });
  const refused = await bench(GET_THINGS, { findPin: async () => after(3, null), now: () => at }).runner.runCall(call(), never);
  assert.deepEqual(refused.phases, { prepare_ms: 3 });
});
