// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { plan } from "../support/plans.js";
import { bench, call, never } from "../support/runner_bench.js";

test("Finding W-25, P-L2: a request without its credentials that is refused says which they are, and any other answer nothing", async () => {
  const login = { scheme: "shop", type: "oauth2" };
  const cookie = { scheme: "sid", type: "apiKey", in: "cookie", name: "sid" };
  const key = { scheme: "k".repeat(300), type: "apiKey", in: "query", name: "key" };
  /** @param {import("../../../static/types/types.d.ts").SecurityRequirement[][]} security @param {number} status @param {Partial<import("../../../static/executor/tool_runner.js").RunnerEnvironment>} [change] */
  const missing = async (security, status, change = {}) => {
    const { runner } = bench(plan({ security }), { fetch: async () => new Response("no", { status }), ...change });
    const outcome = await runner.runCall(call(), never);
    return outcome.status === "answered" ? outcome.missing_credentials : null;
  };
  assert.deepEqual(await missing([[], [login, key], [cookie]], 401), [{ scheme: "shop", kind: "login" }, { scheme: "k".repeat(200), kind: "credential" }]);
  assert.deepEqual(await missing([[cookie]], 403), [{ scheme: "sid", kind: "cookie" }]);
  assert.deepEqual(await missing([], 401), [{ scheme: "", kind: "undeclared" }]);
  assert.deepEqual(await missing([[login, cookie]], 401, { loadCredentials: async () => ({ shop: { value: "t0ken" } }) }), [{ scheme: "sid", kind: "cookie" }]);
  assert.equal((await missing([Array(40).fill(login)], 401))?.length, 20, "as many as the bridge takes");
  for (const [security, status] of /** @type {const} */ ([[[[login]], 200], [[[login]], 404], [[], 403]])) assert.equal(await missing(security.map((all) => [...all]), status), undefined);
  assert.deepEqual(await missing([[cookie]], 401, { loadCredentials: async () => ({ sid: { value: "c00kie" } }) }), [{ scheme: "sid", kind: "cookie" }], "saved, and not sent");
  const saved = { loadCredentials: async () => ({ shop: { value: "t0ken" } }) };
  assert.equal(await missing([[login]], 401, saved), undefined, "what was sent is not missing");
});
