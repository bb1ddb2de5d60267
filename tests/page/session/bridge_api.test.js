// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../../static/session/api_error.js";
import { BridgeApi } from "../../../static/session/bridge_api.js";

/** A bridge that gives these answers in turn. @param {(Response | Error)[]} answers */
function bridge(answers) {
  /** @type {{path: string, init: any}[]} */
  const asked = [];
  const send = async (/** @type {any} */ path, /** @type {any} */ init) => {
    asked.push({ path, init });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return /** @type {Response} */ (answer);
  };
  const tokens = { sessionToken: async () => "old", renewToken: async () => "new" };
  return { asked, api: new BridgeApi(tokens, /** @type {any} */ (send)) };
}

/** @param {number} status @param {unknown} body */
const json = (status, body) => new Response(JSON.stringify(body), { status });

test("every request carries the session token", async () => {
  const { asked, api } = bridge([json(200, { servers: [] })]);
  assert.deepEqual(await api.listServers(), { servers: [] });
  assert.equal(asked[0].init.headers.authorization, "Bearer old");
});

test("a token that has just ended is renewed once", async () => {
  const { asked, api } = bridge([json(401, {}), json(200, { tools: [] })]);
  assert.deepEqual(await api.listTools(), { tools: [] });
  assert.equal(asked[1].init.headers.authorization, "Bearer new");
});

test("a second refusal is an error, not a loop", async () => {
  const refused = { error: { code: "unauthorized", message: "No.", detail: {}, retryable: false } };
  const { asked, api } = bridge([json(401, refused), json(401, refused)]);
  await assert.rejects(api.listTools(), { code: "unauthorized", status: 401 });
  assert.equal(asked.length, 2);
});

test("the bridge's own words reach the user", async () => {
  const { api } = bridge([
    json(409, {
      error: { code: "document_changed", message: "It changed.", detail: { key: "GET /" }, retryable: false },
    }),
  ]);
  await assert.rejects(
    api.acceptOperations("a b", {}),
    (failure) => failure instanceof ApiError && failure.message === "It changed." && failure.detail.key === "GET /",
  );
});

test("an answer that is no error document still gives an error", async () => {
  const { api } = bridge([new Response("<html>", { status: 502 })]);
  await assert.rejects(api.listServers(), { code: "http_status", status: 502, retryable: true });
});

test("no answer is told apart from a refusal", async () => {
  const { api } = bridge([new TypeError("Failed to fetch")]);
  await assert.rejects(api.listServers(), { code: "unreachable", status: 0 });
});

test("giving up is not an error of the bridge", async () => {
  const stop = new AbortController();
  stop.abort();
  const { api } = bridge([new DOMException("stopped", "AbortError")]);
  await assert.rejects(api.callTool("t", "{}", stop.signal), { name: "AbortError" });
});

test("names are quoted in paths, and long integers survive in answers", async () => {
  const { asked, api } = bridge([new Response('{"n":12345678901234567890}')]);
  const answer = /** @type {any} */ (await api.readServer("a/b"));
  assert.equal(asked[0].path, "/api/servers/a%2Fb");
  assert.equal(answer.n, 12345678901234567890n);
});

test("arguments travel as text, digit by digit", async () => {
  const { asked, api } = bridge([json(200, {})]);
  await api.callTool("t", '{"id":12345678901234567890}');
  assert.deepEqual(JSON.parse(asked[0].init.body), { tool: "t", arguments_text: '{"id":12345678901234567890}' });
});
