// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { adaptProblem, readTools } from "../../../static/mcp/source.js";
import { isSameDefinition, writeToolList } from "../../../static/mcp/tool_list.js";
import { ECHO, errorOf, resultOf, scriptedServer, streamOf } from "../support/mcp_server.js";

const URL_OF_MCP = "http://127.0.0.1:8767/mcp";

/** @param {Parameters<typeof scriptedServer>[0]} script */
async function read(script, url = URL_OF_MCP, didAnswer = true) {
  const server = scriptedServer(script);
  const found = await readTools(url, (body, headers) => server.fetch(url, { method: "POST", body, headers }), didAnswer);
  return { found, server, code: found && "code" in found ? found.code : null, list: found && "text" in found ? JSON.parse(found.text) : null };
}

/** @param {string} name */
const tool = (name) => ({ ...ECHO, name });

test("the tools of either era become the same document but for the version", async () => {
  const { list } = await read({});
  assert.deepEqual(list, { endpoint: URL_OF_MCP, mcp: "2026-07-28", server: { name: "notes", version: "2" }, tools: [ECHO] });
  const old = await read({ era: "legacy" });
  assert.deepEqual([old.list.mcp, old.list.server, old.list.tools], ["2025-11-25", { name: "old notes", version: "1" }, [ECHO]]);
});

test("the same tools in another order give the same text, arguments stay in theirs", () => {
  const connection = /** @type {any} */ ({ era: "modern", version: "2026-07-28", server: {}, instructions: "" });
  const [one, other] = [[tool("b"), tool("a")], [tool("a"), { inputSchema: ECHO.inputSchema, description: ECHO.description, name: "b" }]].map((tools) => writeToolList(connection, URL_OF_MCP, tools));
  assert.equal(one, other);
  assert.equal(JSON.parse(one).server.name, "127.0.0.1:8767");
  const properties = { z: {}, a: { b: 1, a: 1 } };
  const [{ inputSchema }] = JSON.parse(writeToolList(connection, URL_OF_MCP, [{ name: "x", inputSchema: { properties } }])).tools;
  assert.equal(JSON.stringify(inputSchema), '{"properties":{"z":{},"a":{"a":1,"b":1}}}');
});

test("a definition is the same whatever the order of its keys, and another one with any other change", () => {
  assert.equal(isSameDefinition({ name: "a", inputSchema: { type: "object", required: [] } }, { inputSchema: { required: [], type: "object" }, name: "a" }), true);
  assert.equal(isSameDefinition({ name: "a" }, { name: "a", annotations: {} }), false);
});

test("all pages of a list are read", async () => {
  const pages = [{ tools: [tool("a")], nextCursor: "2" }, { tools: [tool("b")], nextCursor: "3" }, { tools: [tool("c")] }];
  const { list, server } = await read({ on: ({ id, method, params }) => (method === "tools/list" ? resultOf(id, pages[Number(params.cursor ?? 1) - 1]) : null) });
  assert.deepEqual(list.tools.map((/** @type {{name: string}} */ { name }) => name), ["a", "b", "c"]);
  assert.equal(server.methods().filter((method) => method === "tools/list").length, 3);
});

test("a list that never ends is given up", async () => {
  let page = 0;
  const endless = await read({ on: ({ id, method }) => (method === "tools/list" ? resultOf(id, { tools: [tool(`t${page++}`)], nextCursor: String(page) }) : null) });
  assert.equal(endless.code, "mcp");
  assert.match(JSON.stringify(endless.found), /more than 200 pages/);
  const huge = await read({ tools: Array.from({ length: 20_001 }, (_each, index) => tool(`t${index}`)) });
  assert.match(JSON.stringify(huge.found), /too long/);
});

test("a server that speaks only a later version says so", async () => {
  const refuse = (/** @type {string[]} */ supported) => read({ on: ({ id, method }) => (method === "server/discover" ? errorOf(id, -32022, "Unsupported", 400, { supported }) : null) });
  const later = await refuse(["2027-01-01"]);
  assert.match(JSON.stringify(later.found), /speaks only 2027-01-01/);
  const both = await read({ era: "legacy", on: ({ id, method }) => (method === "server/discover" ? errorOf(id, -32022, "Unsupported", 400, { supported: ["2025-11-25"] }) : null) });
  assert.equal(both.list.mcp, "2025-11-25");
  const none = await read({ era: "legacy", on: ({ id, method }) => (method === "server/discover" ? resultOf(id, { supportedVersions: ["2025-06-18"] }) : null) });
  assert.equal(none.list.mcp, "2025-11-25");
});

test("lists may come as streams", async () => {
  const { list } = await read({ on: ({ id, method }) => (method === "tools/list" ? streamOf({ jsonrpc: "2.0", id, result: { tools: [ECHO] } }) : null) });
  assert.deepEqual(list.tools, [ECHO]);
});

test("what is wrong is told by what can be seen", async () => {
  const rejected = { on: () => Promise.reject(new TypeError("Failed to fetch")) };
  assert.equal((await read(rejected)).code, "mcp_preflight");
  assert.equal((await read(rejected, URL_OF_MCP, false)).found, null);
  assert.equal((await read(rejected, "http://127.0.0.1/api")).found, null);
  assert.equal((await read({ on: () => new Response("", { status: 401 }) })).code, "mcp_login");
  const refuse = (/** @type {string} */ challenge) => read({ on: () => new Response("", { status: 401, headers: { "WWW-Authenticate": challenge } }) }, "https://notes.example/api");
  assert.equal((await refuse('Bearer resource_metadata="https://notes.example/.well-known/oauth-protected-resource/api"')).code, "mcp_login", "which says where to log in");
  assert.equal((await refuse("Basic")).code, null, "which may be anything");
  assert.equal((await read({ on: () => new Response("", { status: 401 }) }, "http://127.0.0.1/openapi.json")).found, null);
  assert.equal((await read({ on: () => new Response("<html>", { status: 404 }) }, "http://127.0.0.1/docs")).found, null);
  const hidden = { era: /** @type {const} */ ("legacy"), session: null, on: (/** @type {any} */ { id, method }) => (method === "tools/list" ? errorOf(id, -32600, "Missing session id", 400) : null) };
  assert.equal((await read(hidden)).code, "mcp_session");
});

test("an address that cannot be read and looks like an MCP server's gets the advice for one", () => {
  const problem = { code: "cors", message: "Up, but unreadable." };
  assert.equal(adaptProblem(problem, "http://localhost:8000/mcp").code, "mcp_preflight");
  assert.equal(adaptProblem(problem, "http://localhost:8000/openapi.json").code, "cors");
  assert.equal(adaptProblem({ ...problem, code: "network" }, "http://localhost:8000/mcp").code, "network");
  const denied = { code: "blocked_local_network", message: "The browser blocks it." };
  assert.deepEqual(adaptProblem(denied, "http://localhost:8000/mcp"), denied, "no line in the server would help");
});
