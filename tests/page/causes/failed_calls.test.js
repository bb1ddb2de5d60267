// @ts-check
/** What a call tells the memory of readable answers, and the diagnosis. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFailed } from "../../../static/causes/failed_request.js";
import { plan } from "../support/plans.js";
import { bench, call, GET_THINGS, never, POST_THINGS, WITH_KEY } from "../support/runner_bench.js";

/** @typedef {import("../support/runner_bench.js").Surroundings} Surroundings */

test("Finding F-2: an answer that the page could read is remembered, whatever its status; one that it could not is not", async () => {
  /** @type {string[]} */
  const noted = [];
  /** @type {Surroundings["noteRead"]} */
  const noteRead = async (serverId, { method, url }) => void noted.push(`${serverId} ${method} ${url}`);
  await bench(GET_THINGS, { noteRead, fetch: async () => new Response("no", { status: 404 }) }).runner.runCall(call(), never);
  await bench(GET_THINGS, { noteRead, fetch: () => Promise.reject(new TypeError("x")) }).runner.runCall(call(), never);
  assert.deepEqual(noted, ["s1 GET https://api.example/v1/things"]);
});

test("Finding F-2: the diagnosis is told method, headers and missing credentials of what failed, and no values", async () => {
  /** @type {any[]} */
  const told = [];
  /** @type {Surroundings["diagnoseFailure"]} */
  const diagnoseFailure = async (failed) => (told.push(failed), { code: "cors", message: "", detail: {}, delivered: "unknown", retryable: false });
  await bench(POST_THINGS, { diagnoseFailure, fetch: () => Promise.reject(new TypeError("x")) }).runner.runCall(call({ params: '{"body":1}' }), never);
  await bench(WITH_KEY, { diagnoseFailure, fetch: () => Promise.reject(new TypeError("x")) }).runner.runCall(call(), never);
  assert.deepEqual(told.map(({ method, headers, missing, mayRepeat }) => [method, headers, missing, mayRepeat]), [
    ["POST", ["content-type"], [], false],
    ["GET", [], [{ scheme: "key", kind: "credential" }], true],
  ]);
});

test("Finding F-2: a credential is missing only where the document demands one and the request went without", () => {
  const request = { method: "GET", url: "https://api.example/", headers: [], body: null, unsendable: [] };
  /** @type {import("../../../static/types/types.d.ts").SecurityRequirement} */
  const key = { scheme: "key", type: "apiKey", in: "header", name: "x-key" };
  /** @param {import("../../../static/types/types.d.ts").SecurityRequirement[][]} security @param {boolean} login @param {import("../../../static/types/types.d.ts").CredentialSet} [credentials] */
  const missing = (security, login, credentials = {}) => describeFailed({ pin: { plan: plan({ security }) }, credentials, via: { login, headers: [] } }, request).missing.map(({ scheme }) => scheme);
  assert.deepEqual(missing([[key]], false), ["key"]);
  assert.deepEqual(missing([[key], []], false), [], "it may go without");
  assert.deepEqual(missing([], false), []);
  assert.deepEqual(missing([[key]], true), [], "the browser's login went along");
  assert.deepEqual(missing([[key]], false, { key: { value: "s3cret" } }), []);
});
