// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebMcp } from "../../../static/session/web_mcp.js";

const SCHEMA = { type: "object", properties: { n: { type: "integer", maximum: 9007199254740993n } } };
const TOOL = { name: "getProduct", server_id: "shop", method: "GET", description: "One product", accepted: true, advertised: true, safe: true, schema: SCHEMA };
const ORDER = { ...TOOL, name: "placeOrder", method: "POST", description: "", safe: false };

/** `document.modelContext` as Chromium 156 has it: names are its own, and an aborted signal takes a tool away. */
function modelContext() {
  /** @type {Map<string, any>} */
  const tools = new Map();
  const registerTool = async (/** @type {any} */ tool, /** @type {{signal: AbortSignal}} */ { signal }) => {
    if (tools.has(tool.name) || !tool.description) throw new DOMException("Duplicate tool name", "InvalidStateError");
    tools.set(tool.name, tool);
    signal.addEventListener("abort", () => tools.delete(tool.name));
  };
  return { tools, registerTool };
}

/** A page whose bridge has these tools. @param {any[]} tools */
function pageWith(tools, isOn = true) {
  const context = modelContext();
  /** @type {Map<string, string>} */
  const stored = new Map(isOn ? [["tool-bridge-webmcp:u1", "on"]] : []);
  const storage = {
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void stored.set(key, value),
    removeItem: (/** @type {string} */ key) => void stored.delete(key),
  };
  const state = { tools, calls: /** @type {any[]} */ ([]), report: /** @type {any} */ (null), changed: () => {}, lists: 0 };
  const api = {
    listFullTools: async () => ((state.lists += 1), { tools: state.tools }),
    callForAgent: async (/** @type {any[]} */ ...call) => {
      state.calls.push(call);
      if (state.report instanceof Error) throw state.report;
      return { outcome: state.report };
    },
  };
  const inventory = { isLoaded: true, onChange: (/** @type {() => void} */ callback) => ((state.changed = callback), () => (state.changed = () => {})) };
  const page = new WebMcp(/** @type {any} */ ({ api, inventory, userId: "u1", context, storage }));
  return { page, context, state, stored };
}

test("nothing is registered, and nothing asked, until its user switches it on; then it stays on", async () => {
  const { page, context, state, stored } = pageWith([TOOL], false);
  page.start();
  await page.settled;
  assert.deepEqual([context.tools.size, state.lists], [0, 0]);
  await page.switchTo(true);
  assert.deepEqual([[...context.tools.keys()], [...stored.values()]], [["getProduct"], ["on"]]);
  await page.switchTo(false);
  assert.deepEqual([context.tools.size, stored.size], [0, 0]);
});

test("what its user accepted and shows to models is registered, with hints that promise nothing", async () => {
  const hidden = [{ ...TOOL, name: "new", accepted: false }, { ...TOOL, name: "left out", advertised: false }];
  const { page, context } = pageWith([TOOL, ORDER, ...hidden]);
  page.start();
  await page.settled;
  assert.deepEqual([...context.tools.keys()], ["getProduct", "placeOrder"]);
  const { getProduct, placeOrder } = Object.fromEntries(context.tools);
  assert.deepEqual(getProduct.annotations, { readOnlyHint: true, untrustedContentHint: true });
  assert.deepEqual(placeOrder.annotations, { readOnlyHint: false, untrustedContentHint: true });
  assert.equal(placeOrder.description, "placeOrder", "one is required");
  assert.equal(JSON.stringify(getProduct.inputSchema), JSON.stringify({ type: "object", properties: { n: { type: "integer", maximum: 9007199254740992 } } }));
});

test("a tool that was declined goes, one that changed is registered anew, and the others stay as they are", async () => {
  const { page, context, state } = pageWith([TOOL, ORDER, { ...TOOL, name: "same" }]);
  page.start();
  await page.settled;
  const same = context.tools.get("same");
  state.tools = [{ ...TOOL, description: "Another one" }, { ...ORDER, accepted: false }, { ...TOOL, name: "same" }];
  state.changed();
  await page.settled;
  assert.deepEqual([...context.tools.keys()].toSorted(), ["getProduct", "same"]);
  assert.equal(context.tools.get("getProduct").description, "Another one");
  assert.equal(context.tools.get("same"), same);
});

test("what is no tool of a browser's is left out, and does not keep out the others", async () => {
  const { page, context } = pageWith([{ ...TOOL, description: "first" }, { ...TOOL, description: "its double" }, ORDER]);
  page.start();
  await page.settled;
  assert.deepEqual([...context.tools.keys()], ["getProduct", "placeOrder"]);
  assert.equal(page.count, 2);
});

test("a call goes to the bridge as an agent's, and its answer is text", async () => {
  const { page, context, state } = pageWith([TOOL]);
  page.start();
  await page.settled;
  const { signal } = new AbortController();
  state.report = { state: "succeeded", answer: { http_status: 200, content_type: "application/json", headers: { a: "b" }, text: '{"id":1}', file: null } };
  const said = await context.tools.get("getProduct").execute({ n: 1 }, { signal });
  assert.deepEqual(state.calls, [["getProduct", '{"n":1}', signal]]);
  assert.deepEqual(JSON.parse(said), { http_status: 200, content_type: "application/json", text: '{"id":1}', file: null });
});

test("why a call failed is text too: an exception's words would not reach the agent", async () => {
  const { page, context, state } = pageWith([TOOL]);
  page.start();
  await page.settled;
  const { execute } = context.tools.get("getProduct");
  state.report = { state: "denied", error: { code: "denied", message: "You denied it.", detail: {}, retryable: false } };
  assert.equal(JSON.parse(await execute({}, {})).error.code, "denied");
  state.report = Object.assign(new Error("No such argument."), { code: "invalid_arguments" });
  assert.deepEqual(JSON.parse(await execute({}, {})), { error: { code: "invalid_arguments", message: "No such argument." } });
});

test("a page that stops takes everything away, and a browser without WebMCP has nothing to switch", async () => {
  const { page, context } = pageWith([TOOL]);
  page.start();
  await page.settled;
  page.stop();
  assert.equal(context.tools.size, 0);
  const without = new WebMcp(/** @type {any} */ ({ api: {}, inventory: {}, userId: "u1", context: undefined, storage: { getItem: () => "on" } }));
  assert.equal(without.isSupported, false);
  without.start();
  await without.settled;
  assert.equal(without.count, 0);
});
