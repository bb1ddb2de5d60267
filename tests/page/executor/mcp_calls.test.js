// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import * as failures from "../../../static/executor/call_failure.js";
import { diagnoseFailure } from "../../../static/executor/diagnosis.js";
import { McpCalls } from "../../../static/executor/mcp_calls.js";
import { plan } from "../support/plans.js";
import { bench, call, failure, never, shaped } from "../support/runner_bench.js";
import { ECHO, errorOf, resultOf, scriptedServer, streamOf } from "../support/mcp_server.js";

/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../support/mcp_server.js").Message} Message */

const BODY = { content_type: "application/json", required: true, properties: [{ argument: "text", name: "text" }], additional: true };
const ECHO_PLAN = plan({ kind: "mcp", method: "POST", path: "", safe: false, idempotent: false, tool: ECHO, body: BODY, accept: "application/json, text/event-stream" });
const CALL = { params: '{"text":"hello"}' };
const LIMITS = { inline_result_bytes: 4000, result_bytes: 4000, file_bytes: 4000 };

/** @param {Parameters<typeof scriptedServer>[0]} script @param {Parameters<typeof bench>[1]} [change] @param {Partial<typeof ECHO_PLAN>} [planned] */
function scene(script, change = {}, planned = {}) {
  const server = scriptedServer(script);
  return { server, ...bench({ ...ECHO_PLAN, ...planned }, { fetch: server.fetch, limits: LIMITS, ...change }) };
}

/** @param {Parameters<typeof scriptedServer>[0]} script */
async function run(script, params = CALL.params) {
  const { runner, server, seen } = scene(script);
  return { outcome: await runner.runCall(call({ params }), never), server, seen };
}

/** @param {Outcome} outcome */
const textOf = (outcome) => (outcome.status === "answered" && outcome.body.kind === "text" ? outcome.body.text : JSON.stringify(outcome));
/** @param {Outcome} outcome */
const messageOf = (outcome) => (outcome.status === "failed" ? outcome.error.message : "answered");
/** Answers only calls of tools. @param {(message: Message, headers: Record<string, string>) => Response} answer */
const onCall = (answer) => ({ on: (/** @type {Message} */ message, /** @type {Record<string, string>} */ headers) => (message.method === "tools/call" ? answer(message, headers) : null) });

test("a tool of a modern server is called by one POST that says in headers and body what it is", async () => {
  const { outcome, server, seen } = await run({});
  assert.equal(textOf(outcome), "hello");
  assert.deepEqual(server.methods(), ["server/discover", "tools/list", "tools/call"]);
  const { message, headers, init } = server.seen[2];
  assert.deepEqual([message.params.name, message.params.arguments], ["echo", { text: "hello" }]);
  assert.equal(message.params._meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  assert.deepEqual([headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"]], ["2026-07-28", "tools/call", "echo"]);
  assert.deepEqual([init.redirect, init.credentials, init.cache], ["manual", "omit", "no-store"]);
  assert.deepEqual(seen.journal, ["begun c1", "answered c1"]);
});

test("a server of the older era is asked for a session first, once for many calls", async () => {
  const { runner, server } = scene({ era: "legacy" });
  assert.equal(textOf(await runner.runCall(call(CALL), never)), "hello");
  assert.equal(textOf(await runner.runCall(call(CALL), never)), "hello");
  assert.deepEqual(server.methods(), ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call", "tools/call"]);
  assert.equal(server.seen[4].headers["mcp-session-id"], "s-1");
  assert.equal("_meta" in server.seen[4].message.params, false);
});

test("the trace of a call is told in its message, where the server's setting says so, in both eras", async () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (const era of /** @type {const} */ (["modern", "legacy"])) {
    for (const pass_traceparent of [true, false]) {
      const { runner, server } = scene({ era });
      assert.equal(textOf(await runner.runCall(call({ ...CALL, traceparent, pass_traceparent }), never)), "hello");
      const told = server.seen.map(({ message }) => message.params?._meta?.traceparent).filter((each) => each !== undefined);
      assert.deepEqual(told, pass_traceparent ? [traceparent] : []);
      assert.equal(server.seen.some(({ headers }) => "traceparent" in headers), false);
    }
  }
});

test("a session that is gone is opened anew, and the call that was not taken is sent once more", async () => {
  let gone = 1;
  const { outcome, server } = await run({ era: "legacy", ...onCall(({ id }) => (gone-- > 0 ? new Response("no session", { status: 404 }) : resultOf(id, { content: [{ type: "text", text: "late" }] }))) });
  assert.equal(textOf(outcome), "late");
  assert.equal(server.methods().filter((method) => method === "tools/call").length, 2);
  const never_taken = await run({ era: "legacy", ...onCall(() => new Response("no session", { status: 404 })) });
  assert.equal(never_taken.outcome.status === "answered" && never_taken.outcome.http_status, 404);
  assert.equal(never_taken.server.methods().filter((method) => method === "tools/call").length, 2);
});

test("a server that refuses the preflight of new headers is spoken to in the older way", async () => {
  const { outcome } = await run({ era: "legacy", on: (_message, headers) => ("mcp-method" in headers ? Promise.reject(new TypeError("Failed to fetch")) : null) });
  assert.equal(textOf(outcome), "hello");
});

test("a server that is down is diagnosed, and nothing was delivered", async () => {
  const { outcome, seen } = await run({ on: () => Promise.reject(new TypeError("Failed to fetch")) });
  assert.equal(failure(outcome), "cors no");
  assert.deepEqual(seen.journal, []);
});

test("a page that may not reach this machine says so of its server there, and nothing was delivered", async () => {
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const around = { fetch, pageUrl: "https://bridge.example/", permission: async () => /** @type {const} */ ("denied"), wasBlockedByPolicy: () => false, isOnline: () => true, listReads: async () => [] };
  const [origin, base_url] = ["http://127.0.0.1:8767", "http://127.0.0.1:8767/mcp"];
  const pin = { server_id: "s1", key: "GET /things", name: "things", digest: "d1", base_url, origin, plan: { ...ECHO_PLAN, base_url } };
  const { runner } = scene({}, { fetch, findPin: async () => pin, diagnoseFailure: (failed) => diagnoseFailure(failed, around) });
  assert.equal(failure(await runner.runCall(call(CALL), never)), "blocked_local_network no");
});

test("a call that breaks off after it was sent is not known to be undone, and is never sent again", async () => {
  const broken = new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError("reset")) }), { headers: { "content-type": "application/json" } });
  const { outcome, server } = await run(onCall(() => broken));
  assert.equal(failure(outcome), "network unknown");
  assert.equal(server.methods().filter((method) => method === "tools/call").length, 1);
  const silent = await run(onCall(() => streamOf()));
  assert.equal(failure(silent.outcome), "network unknown");
});

test("an answer may be a stream, with other messages before the reply", async () => {
  const note = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
  const { outcome } = await run(onCall(({ id }) => streamOf(note, { jsonrpc: "2.0", id: "other", result: {} }, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "streamed" }] } })));
  assert.equal(textOf(outcome), "streamed");
});

test("what a server asks in the middle of a call is answered, not obeyed", async () => {
  const { server } = await run({
    era: "legacy",
    ...onCall(({ id }) => streamOf({ jsonrpc: "2.0", id: 7, method: "ping" }, { jsonrpc: "2.0", id: 8, method: "sampling/createMessage", params: {} }, { jsonrpc: "2.0", id, result: { content: [] } })),
  });
  const answers = server.seen.map(({ message }) => message).filter((message) => !("method" in message));
  assert.deepEqual(answers.map(({ id, result, error }) => [id, result ?? error.code]), [[7, {}], [8, -32601]]);
});

test("results have the shapes of API answers", async () => {
  const png = btoa("\x89PNG");
  /** @param {object} result */
  const shown = async (result) => {
    const { outcome, seen } = await run(onCall(({ id }) => resultOf(id, result)));
    if (outcome.status !== "answered") return messageOf(outcome);
    return seen.uploaded.length > 0 ? [seen.uploaded[0][1], seen.uploaded[0][0].length] : [outcome.content_type, textOf(outcome)];
  };
  assert.deepEqual(await shown({ structuredContent: { n: 1 }, content: [{ type: "text", text: "one" }] }), ["application/json", '{"n":1}']);
  assert.deepEqual(await shown({ structuredContent: [1, 2] }), ["application/json", "[1,2]"]);
  assert.deepEqual(await shown({ content: [{ type: "text", text: '{"n": 1}' }] }), ["application/json", '{"n": 1}']);
  assert.deepEqual(await shown({ content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] }), ["text/plain; charset=utf-8", "a\nb"]);
  assert.deepEqual(await shown({ content: [{ type: "image", mimeType: "image/png", data: png }] }), ["image/png", 4]);
  const mixed = [{ type: "text", text: "see" }, { type: "resource_link", uri: "file:///x", name: "x" }];
  assert.deepEqual(await shown({ content: mixed }), ["application/json", JSON.stringify({ content: mixed })]);
  assert.equal((await run(onCall(({ id }) => resultOf(id, { content: [] })))).outcome.status, "answered");
});

test("integers beyond 2^53 stay exact on both ways", async () => {
  const raw = (/** @type {Message} */ { id }) => new Response(`{"jsonrpc":"2.0","id":"${id}","result":{"structuredContent":{"n":12345678901234567891}}}`, { headers: { "content-type": "application/json" } });
  const { outcome, server } = await run(onCall(raw), '{"text":12345678901234567890}');
  assert.equal(textOf(outcome), '{"n":12345678901234567891}');
  assert.match(String(server.seen[2].init.body), /"text":12345678901234567890[,}]/);
});

test("a tool that fails, a refusal and a wish for more input are failures with the reason, and nothing is in doubt", async () => {
  /** @param {(message: Message) => Response} answer */
  const ending = async (answer) => {
    const { outcome } = await run(onCall(answer));
    return [outcome.status === "failed" && outcome.error.code, messageOf(outcome)];
  };
  assert.deepEqual(await ending(({ id }) => resultOf(id, { isError: true, content: [{ type: "text", text: "No such note." }] })), ["tool_failed", "The tool failed: No such note."]);
  assert.deepEqual(await ending(({ id }) => errorOf(id, -32602, "Unknown tool", 400)), ["tool_failed", "The MCP server refused the call (error -32602): Unknown tool"]);
  const [code, message] = await ending(({ id }) => resultOf(id, { resultType: "input_required", inputRequests: {} }));
  assert.equal(code, "tool_failed");
  assert.match(String(message), /elicitation/);
});

test("a status without a message of the protocol is the answer of an API", async () => {
  const { outcome } = await run(onCall(() => new Response("down", { status: 503 })));
  assert.equal(outcome.status === "answered" && outcome.http_status, 503);
  const closed = await run({ on: () => new Response("who are you", { status: 401, headers: { "www-authenticate": "Bearer" } }) });
  assert.equal(closed.outcome.status === "answered" && closed.outcome.http_status, 401);
  assert.deepEqual(closed.server.methods(), ["server/discover"]);
  assert.deepEqual(closed.seen.journal, []);
});

test("a source that redirects to a metadata address is refused by the page", async () => {
  const away = () => shaped(new Response(), { type: "opaqueredirect", status: 0 });
  const atOnce = await run({ on: away });
  assert.equal(failure(atOnce.outcome), "redirect_refused no");
  const later = await run(onCall(away));
  assert.equal(failure(later.outcome), "redirect_refused unknown");
  const { runner, server } = scene({}, {}, { base_url: "http://169.254.169.254/mcp" });
  assert.equal(failure(await runner.runCall(call(CALL), never)), "blocked_by_policy no");
  assert.deepEqual(server.seen, []);
});

test("the user's secret is in every message to the server and nowhere else", async () => {
  const loadCredentials = async () => ({ "*": { type: /** @type {const} */ ("http"), http_scheme: /** @type {const} */ ("bearer"), value: "s3cret" } });
  const { runner, server, seen } = scene(onCall(({ id }) => resultOf(id, { isError: true, content: [{ type: "text", text: "not s3cret" }] })), { loadCredentials });
  const outcome = await runner.runCall(call(CALL), never);
  assert.deepEqual(server.seen.map(({ headers }) => headers.authorization), ["Bearer s3cret", "Bearer s3cret", "Bearer s3cret"]);
  assert.doesNotMatch(JSON.stringify([outcome, seen.logged]), /s3cret/);
});

test("arguments that a server wants in headers are there, names in other scripts in base64", async () => {
  const tool = { name: "größe", inputSchema: { type: "object", properties: { team: { type: "string", "x-mcp-header": "Team" }, at: { type: "object", properties: { on: { type: "boolean", "x-mcp-header": "On" } } } } } };
  const { runner, server } = scene({ tools: [tool] }, {}, { tool });
  await runner.runCall(call({ params: '{"team":"é","at":{"on":true},"text":"x"}' }), never);
  const { headers } = server.seen[2];
  assert.deepEqual([headers["mcp-param-team"], headers["mcp-param-on"], headers["mcp-name"]], ["=?base64?w6k=?=", "true", "=?base64?Z3LDtsOfZQ==?="]);
});

test("stopping a call closes its stream, and tells an older server", async () => {
  for (const era of /** @type {const} */ (["modern", "legacy"])) {
    const stop = new AbortController();
    const { runner, server } = scene({
      era,
      ...onCall(() => {
        queueMicrotask(() => stop.abort(new failures.CallStopped("cancelled", "Enough.")));
        return new Response(new ReadableStream({ start: (controller) => stop.signal.addEventListener("abort", () => controller.error(stop.signal.reason)) }), { headers: { "content-type": "text/event-stream" } });
      }),
    });
    assert.equal(failure(await runner.runCall(call(CALL), stop.signal)), "cancelled unknown");
    const told = server.seen.filter(({ message }) => message.method === "notifications/cancelled");
    assert.equal(told.length, era === "legacy" ? 1 : 0, era);
    if (era === "legacy") assert.equal(told[0].message.params.requestId, server.seen[4].message.id);
  }
});

test("an answer that never ends is given up", async () => {
  const { outcome } = await run(onCall(({ id }) => resultOf(id, { content: [{ type: "text", text: "x".repeat(20_000) }] })));
  assert.equal(failure(outcome), "too_large unknown");
});

test("a tool that the server defines otherwise than it was accepted is not called, and its user is told", async () => {
  for (const tools of [[{ ...ECHO, description: "Gives a text back, and to us." }], []]) {
    const { outcome, server, seen } = await run({ tools });
    assert.equal(failure(outcome), "not_accepted no");
    assert.deepEqual(server.methods(), ["server/discover", "tools/list"]);
    assert.deepEqual([seen.changed, seen.journal], [["s1"], []]);
  }
  const { annotations, ...same } = { ...ECHO, annotations: undefined };
  assert.equal(textOf((await run({ tools: [{ ...same, name: ECHO.name }] })).outcome), "hello");
  assert.equal(annotations, undefined);
});

test("a change that its user has accepted meanwhile is called, although the server was asked less than a minute ago", async () => {
  const tools = [{ ...ECHO }];
  const { runner, server } = scene({ tools });
  assert.equal(textOf(await runner.runCall(call(CALL), never)), "hello");
  tools[0] = { ...ECHO, description: "New." };
  const newly = bench({ ...ECHO_PLAN, tool: tools[0] }, { fetch: server.fetch, limits: LIMITS, loadMcp: runner.environment.loadMcp });
  assert.equal(textOf(await newly.runner.runCall(call(CALL), never)), "hello");
});

test("a server is asked for its tools again after a minute, and by a new session if it has forgotten the old one", async () => {
  let [now, forgets] = [0, false];
  const server = scriptedServer({ era: "legacy", on: ({ id, method }) => (forgets && method === "tools/list" ? ((forgets = false), errorOf(id, -32001, "Session not found", 404)) : null) });
  const mcp = new McpCalls({ ...LIMITS }, failures, () => undefined, () => now);
  const { runner } = bench(ECHO_PLAN, { fetch: server.fetch, limits: LIMITS, loadMcp: async () => mcp });
  const count = (/** @type {string} */ wanted) => server.methods().filter((method) => method === wanted).length;
  const again = async () => textOf(await runner.runCall(call(CALL), never));
  assert.deepEqual([await again(), await again(), count("tools/list")], ["hello", "hello", 1]);
  [now, forgets] = [60_000, true];
  assert.deepEqual([await again(), count("tools/list"), count("initialize")], ["hello", 3, 2]);
});

test("a session that the server hides from the page is told as that, and nothing was delivered", async () => {
  const { outcome } = await run({ era: "legacy", session: null, on: ({ id, method }) => (method === "tools/list" ? errorOf(id, -32600, "Missing session id", 400) : null) });
  assert.equal(failure(outcome), "cors no");
  assert.match(messageOf(outcome), /Mcp-Session-Id/);
  assert.equal(textOf((await run({ era: "legacy", session: null })).outcome), "hello");
});

test("the log has the message as it was sent, so that it can be sent again by hand", async () => {
  const { seen, server } = await run({});
  const request = seen.logged.filter(({ method }) => method === "POST").at(-1);
  assert.equal(request.body, server.seen[2].init.body);
  assert.deepEqual(Object.fromEntries(request.headers), server.seen[2].headers);
});

test("a server that cannot be spoken to any more, after it forgot its session, did not take the call", async () => {
  let sent = false;
  const { outcome } = await run({ era: "legacy", on: ({ method }) => (method === "tools/call" ? ((sent = true), new Response("", { status: 404 })) : sent ? new Response("", { status: 500 }) : null) });
  assert.equal(failure(outcome), "tool_failed no");
});

test("a server that asks without end is answered a bounded number of times", async () => {
  const pings = Array.from({ length: 50 }, (_each, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  const { server } = await run({ era: "legacy", ...onCall(({ id }) => streamOf(...pings, { jsonrpc: "2.0", id, result: { content: [] } })) });
  assert.equal(server.seen.filter(({ message }) => !("method" in message)).length, 20);
});
