// @ts-check
// Traced calls: where the page's time goes, as it tells the bridge, and who is told the trace.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parameter } from "../support/plans.js";
import { bench, call, GET_THINGS, never, POST_THINGS } from "../support/runner_bench.js";

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
  assert.deepEqual((await runner.runCall(call(), never)).phases_ms, [5, 20, 0, 7]);
  const refused = await bench(GET_THINGS, { findPin: async () => after(3, null), now: () => at }).runner.runCall(call(), never);
  assert.deepEqual(refused.phases_ms, [3]);
});

const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("an API is told the trace of a call where its server's setting says so, and only there", async () => {
  const own = { ...GET_THINGS, parameters: [parameter("header", "Traceparent", { required: false })] };
  for (const [asked, traceparent, pass_traceparent, sent] of /** @type {const} */ ([
    [GET_THINGS, TRACE, true, TRACE],
    [POST_THINGS, TRACE, true, TRACE],
    [GET_THINGS, TRACE, false, undefined],
    [GET_THINGS, "", true, undefined],
    [own, TRACE, true, undefined],
  ])) {
    const { runner, seen } = bench(asked);
    await runner.runCall(call({ params: asked.safe ? "{}" : '{"body":1}', traceparent, pass_traceparent }), never);
    assert.equal(seen.fetched.length, 1);
    const headers = Object.fromEntries(seen.fetched[0]?.[1].headers ?? []);
    assert.equal(headers.traceparent, sent);
  }
});
