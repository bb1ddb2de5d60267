// @ts-check
/** MCP servers through the companion: all messages of a call take the one way, and the call itself is sent as one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { companionBench } from "../support/companion.js";
import { ECHO, resultOf, scriptedServer } from "../support/mcp_server.js";
import { plan } from "../support/plans.js";
import { call, failure, never } from "../support/runner_bench.js";

const BODY = { content_type: "application/json", required: true, properties: [{ argument: "text", name: "text" }], additional: true };
const ECHO_PLAN = plan({ kind: "mcp", method: "POST", path: "", safe: false, idempotent: false, tool: ECHO, body: BODY, accept: "application/json, text/event-stream" });
const CALL = call({ params: '{"text":"hello"}' });

/** A companion that reaches this server. @param {Parameters<typeof scriptedServer>[0]} script */
function scene(script) {
  const server = scriptedServer(script);
  const made = companionBench(ECHO_PLAN);
  made.companion.handleCall = async (running) => {
    const { url, method, headers, body } = running.call;
    const text = new TextDecoder().decode(/** @type {ArrayBuffer} */ (body));
    const response = await server.fetch(url, { method, headers, body: text });
    made.companion.answerCall(running, { status: response.status, headers: [...response.headers] }, [await response.text()]);
  };
  const ids = () => /** @type {any[]} */ (made.companion.heardOf("call")).map(({ id, body }) => [JSON.parse(new TextDecoder().decode(body)).method, id]);
  return { ...made, server, ids };
}

test("a session that CORS would hide is read, and the call has the id under which it was written down", async () => {
  const { runner, server, ids, seen } = scene({ era: "legacy" });
  const outcome = await runner.runCall(CALL, never);
  assert.ok(outcome.status === "answered" && outcome.body.kind === "text" && outcome.body.text === "hello");
  assert.equal(server.seen.at(-1)?.headers["mcp-session-id"], "s-1");
  assert.deepEqual(seen.journal, ["begun c1", "answered c1"]);
  const called = ids().filter(([method]) => method === "tools/call");
  assert.deepEqual(called, [["tools/call", "c1"]]);
  assert.equal(new Set(ids().map(([, id]) => id)).size, ids().length, "no id is used twice");
});

test("a call that the server did not take is sent once more, under an id of its own", async () => {
  let gone = 1;
  const on = (/** @type {any} */ { id, method }) => (method === "tools/call" ? (gone-- > 0 ? new Response("", { status: 404 }) : resultOf(id, { content: [] })) : null);
  const { runner, ids } = scene({ era: "legacy", on });
  assert.equal((await runner.runCall(CALL, never)).status, "answered");
  assert.deepEqual(ids().filter(([method]) => method === "tools/call").map(([, id]) => id), ["c1", "c1:2"]);
});

test("without a grant nothing reaches the server, and that is what is said", async () => {
  const { runner, companion, server } = scene({});
  companion.handleCall = ({ call: { id }, say }) => say({ type: "refused", id, code: "not_granted", message: "Not granted." });
  assert.equal(failure(await runner.runCall(CALL, never)), "companion_refused no");
  assert.deepEqual(server.seen, []);
});
