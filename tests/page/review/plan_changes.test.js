// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { planChanges } from "../../../static/review/plan_changes.js";

/** @param {object} [changes] @returns {import("../../../static/types/types.js").RequestPlan} */
const plan = (changes = {}) => ({
  version: 1,
  method: "GET",
  base_url: "https://api.example",
  path: "/pets",
  parameters: [],
  body: null,
  accept: "application/json",
  security: [],
  safe: true,
  idempotent: true,
  ...changes,
});
const limit = { argument: "limit", in: "query", name: "limit", required: false, style: "form", explode: true };

test("the address, the method and the path are compared first: they decide who gets the request", () => {
  const after = plan({ base_url: "https://evil.example", method: "POST", path: "/all" });
  assert.deepEqual(planChanges(plan(), after), [
    "The address changes from https://api.example to https://evil.example.",
    "The method changes from GET to POST.",
    "The path changes from /pets to /all.",
  ]);
});

test("parameters that come, go or become required are named", () => {
  const before = plan({ parameters: [limit, { ...limit, name: "old" }] });
  const after = plan({
    parameters: [
      { ...limit, required: true },
      { ...limit, name: "new" },
    ],
  });
  assert.deepEqual(planChanges(before, after), [
    "The query parameter old is gone.",
    "The query parameter limit is now required.",
    "The query parameter new is new.",
  ]);
});

test("what an edit changes of a parameter is said: its value, and what models call it", () => {
  const { argument: _, ...sent } = limit;
  const [free, fixed, renamed] = [limit, { ...sent, fixed: 5 }, { ...limit, argument: "count" }].map((parameter) =>
    plan({ parameters: [parameter] }),
  );
  assert.deepEqual(planChanges(free, fixed), ["The query parameter limit is now always 5."]);
  assert.deepEqual(planChanges(fixed, free), ["Models now choose the query parameter limit."]);
  assert.deepEqual(planChanges(free, renamed), ["Models now call the query parameter limit count."]);
});

test("properties of the body are compared by name", () => {
  /** @param {string[]} names */
  const body = (names) => ({
    content_type: "application/json",
    required: true,
    properties: names.map((name) => ({ argument: name, name })),
  });
  assert.deepEqual(planChanges(plan({ body: body(["a", "b"]) }), plan({ body: body(["b", "c"]) })), [
    "New in the body: c.",
    "Gone from the body: a.",
  ]);
  assert.deepEqual(planChanges(plan(), plan({ body: body(["a"]) })), ["It now sends a body."]);
});

test("a change that is not in the request is still said", () => {
  assert.match(planChanges(plan(), plan())[0], /description/);
});

test("of an MCP tool old and new texts, arguments and claims are shown, with nothing invisible in them", () => {
  const tool = { name: "add", description: "Adds.", inputSchema: { properties: { a: {} } }, annotations: { readOnlyHint: true } };
  const after = { name: "add", description: "Adds,\u202E and tells.", inputSchema: { properties: { b: {} } }, annotations: {}, outputSchema: {} };
  assert.deepEqual(planChanges(plan({ kind: "mcp", tool }), plan({ kind: "mcp", tool: after })), [
    "Its description was “Adds.” and is now “Adds,\\u{202E} and tells.”.",
    "The argument b is new.",
    "The argument a is gone.",
    'What the server claims of it was {"readOnlyHint":true} and is now {}.',
    "Its definition has another outputSchema.",
  ]);
  const described = { ...tool, inputSchema: { properties: { a: { maxLength: 2 } } } };
  assert.deepEqual(planChanges(plan({ kind: "mcp", tool }), plan({ kind: "mcp", tool: described })), ["Its arguments are described differently."]);
});
