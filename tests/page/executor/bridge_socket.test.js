// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallLog, MAX_CALLS } from "../../../static/executor/call_log.js";
import { PinError, pinOf } from "../../../static/session/pin_offers.js";
import { cancelSentence, readCall } from "../../../static/executor/call_message.js";
import { uploadResult } from "../../../static/executor/result_upload.js";
import { plan } from "../support/plans.js";
import { PLAN_VERSION } from "../../../static/request/plan_version.js";

const MESSAGE = {
  chat_id: "chat",
  message_id: null,
  data: {
    type: "execute:tool",
    data: {
      id: "c1",
      name: "GET /things",
      params: "{}",
      server: { id: "s1", digest: "d1", url: "https://evil.example" },
      session_id: "sid",
      bridge: { tool: "things", deadline_ms: 5000, result_token: "t" },
    },
  },
};

test("execute:tool is read by our keys only: an address in the message means nothing", () => {
  assert.deepEqual(readCall(MESSAGE), {
    call_id: "c1",
    tool: "things",
    server_id: "s1",
    key: "GET /things",
    digest: "d1",
    params: "{}",
    deadline_ms: 5000,
    result_token: "t",
    traceparent: "",
    pass_traceparent: false,
    attempt: 1,
    must_ask: false,
    idempotency_key: false,
    approval_ms: 120_000,
    asked_by: "", caller_id: "",
    chat_id: "chat",
    doubted: null,
  });
});

test("the trace of a call is read if it may stand in a header as it is", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  /** @param {unknown} said @param {unknown} [passed] */
  const read = (said, passed) => {
    const found = readCall({ data: { type: "execute:tool", data: { id: "c1", server: { id: "s1" }, bridge: { traceparent: said, pass_traceparent: passed } } } });
    return [found?.traceparent, found?.pass_traceparent];
  };
  assert.deepEqual(read(traceparent, true), [traceparent, true]);
  assert.deepEqual(read(traceparent, "yes"), [traceparent, false]);
  assert.deepEqual(read(`${traceparent}\r\nx: y`, true), ["", true]);
  assert.deepEqual(read(7), ["", false]);
});

test("an equal call in doubt is read if it has an id and a time", () => {
  /** @param {unknown} doubted */
  const read = (doubted) => {
    const { data } = MESSAGE.data;
    return readCall({ data: { type: "execute:tool", data: { ...data, bridge: { ...data.bridge, doubted } } } })?.doubted;
  };
  const earlier = { call_id: "c0", opened_at: 1_795_000_000.5 };
  assert.deepEqual(read({ ...earlier, more: 1 }), earlier);
  assert.deepEqual([read(null), read(5), read({ call_id: "c0" }), read({ ...earlier, call_id: 5 })], [null, null, null, null]);
});

test("who asks for a call is text of the caller's: bounded, and nothing else", () => {
  /** @param {unknown} asked_by */
  const read = (asked_by) => {
    const { data } = MESSAGE.data;
    return readCall({ data: { type: "execute:tool", data: { ...data, bridge: { ...data.bridge, asked_by } } } })?.asked_by;
  };
  assert.equal(read("key laptop"), "key laptop");
  assert.equal(read("k".repeat(5000))?.length, 200);
  assert.deepEqual([read(5), read({}), read(null)], ["", "", ""]);
});

test("other events and broken ones are no calls", () => {
  for (const message of [null, {}, { data: { type: "status" } }, { data: { type: "execute:tool", data: { id: 5 } } }])
    assert.equal(readCall(message), null);
});

test("the reason of a cancellation is a sentence, whatever the bridge sends", () => {
  assert.equal(cancelSentence("caller_gone"), "The caller disconnected.");
  for (const reason of ["stopped", "a newer reason", undefined]) assert.equal(cancelSentence(reason), "The caller stopped this call.");
});

test("an operation is pinned to the address of its own plan, never to its server's", () => {
  const server = { id: "s1", base_url: "https://other.example/v2" };
  const offered = { name: "things", digest: "d1", plan: plan({}) };
  assert.equal(pinOf(server, "GET /things", offered, "http://localhost:1").origin, "https://api.example");
  const lost = { ...offered, plan: plan({ base_url: "" }) };
  assert.throws(() => pinOf(server, "GET /things", lost, "http://localhost:1"), /gives it a server of its own/);
});

test("operations that a document tells apart by a fragment of the path are pinned, each under its own key", () => {
  const server = { id: "s1", base_url: "" };
  const offered = { name: "things", digest: "d1", plan: plan({}) };
  assert.equal(pinOf(server, "GET /things#acl", offered, "http://localhost:1").key, "GET /things#acl");
});

test("an operation that cannot be trusted or sent is not accepted", () => {
  const server = { id: "s1", base_url: "" };
  /** @param {string} key @param {Partial<import("../../../static/types/types.d.ts").RequestPlan>} change */
  const code = (key, change) => {
    try {
      return pinOf(server, key, { name: "n", digest: "d", plan: plan(change) }, "http://localhost:1");
    } catch (error) {
      return error instanceof PinError ? error.code : error;
    }
  };
  assert.equal(code("DELETE /things", {}), "bad_plan");
  assert.equal(code("GET /things", { version: /** @type {any} */ (PLAN_VERSION + 1) }), "bad_plan");
  assert.equal(code("GET /things", { base_url: "" }), "no_base_url");
  assert.equal(code("GET /things", { base_url: "http://localhost:1/api" }), "forbidden_origin");
});

test("the log keeps the latest calls and tells every change once", () => {
  /** @type {string[]} */
  const told = [];
  const log = new CallLog(({ call_id, state }) => void told.push(`${call_id} ${state}`), () => 0);
  const call = /** @type {import("../../../static/types/types.d.ts").ToolCall} */ (readCall(MESSAGE));
  log.callStarted(call);
  const error = { code: "network", message: "Down.", detail: {}, retryable: true };
  log.callEnded(call, { status: "failed", error, delivered: "no", duration_ms: 3 });
  assert.deepEqual(told, ["c1 running", "c1 failed"]);
  for (let count = 0; count < MAX_CALLS; count += 1) log.callStarted({ ...call, call_id: `n${count}` });
  assert.deepEqual([log.entries.length, log.entries[0].call_id], [MAX_CALLS, "n0"]);
});

test("an upload carries the one-time token and is tried again only where that can help", async () => {
  const call = /** @type {import("../../../static/types/types.d.ts").ToolCall} */ (readCall(MESSAGE));
  /** @param {number[]} statuses @param {string[]} routes */
  const tries = async (statuses, ...routes) => {
    /** @type {string[]} */
    const seen = [];
    /** @type {typeof fetch} */
    const send = async (url, init) => {
      seen.push(`${init?.method} ${url} ${new Headers(init?.headers).get("x-result-token")}`);
      return new Response(null, { status: statuses.shift() });
    };
    const failed = await uploadResult({ fetch: send, route: () => routes.shift() ?? "" }, call, "x", "text/plain", new AbortController().signal).catch(String);
    return { seen, failed };
  };
  assert.deepEqual(await tries([503, 204]), { seen: Array(2).fill("PUT /api/calls/c1/result t"), failed: undefined });
  const moved = await tries([503, 204], "r+1", "r2");
  assert.deepEqual(moved.seen, ["?route=r%2B1", "?route=r2"].map((query) => `PUT /api/calls/c1/result${query} t`));
  const refused = await tries([410]);
  assert.deepEqual([refused.seen.length, refused.failed], [1, "Error: it answered with status 410."]);
});
