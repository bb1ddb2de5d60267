// @ts-check
/** The lines by which an API lets this page in: with its own names, and nothing that a document writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { corsLines, needsOf, USUAL_NEEDS, wallOf } from "../../../static/causes/cors_lines.js";

const PAGE = "http://127.0.0.1:8765";

/** @param {object[]} [schemes] @param {object} [more] */
const server = (schemes = [], more = {}) =>
  /** @type {any} */ ({ tools: [{ method: "GET" }, { method: "DELETE" }, { method: "GET" }], security_schemes: schemes, idempotency_key: false, trace_context: false, ...more });
/** @param {...string} names */
const planWith = (...names) => /** @type {any} */ ({ parameters: names.map((name) => ({ in: "header", name })).concat([{ in: "query", name: "page" }]) });

test("Finding F-4: the lines name the API's own key header, its headers, its methods and the page's origin", () => {
  const key = { type: "apiKey", in: "header", name: "X-API-Key" };
  const needs = needsOf(server([key, { type: "apiKey", in: "query", name: "token" }]), [planWith("X-Tenant", "Accept", "Authorization")], {});
  assert.deepEqual(needs, { methods: ["GET", "DELETE"], headers: ["content-type", "x-api-key", "x-tenant"] });
  for (const { name, text } of corsLines(PAGE, needs))
    for (const wanted of [PAGE, "GET", "DELETE", ...needs.headers]) assert.ok(text.includes(wanted), `${name}: ${wanted}`);
});

test("Finding F-4: a login, a value that is saved for every request, the idempotency key and the trace are headers as well", () => {
  for (const type of ["http", "oauth2", "openIdConnect"]) assert.deepEqual(needsOf(server([{ type }]), [], {}).headers, ["content-type", "authorization"]);
  const saved = /** @type {const} */ ({ "*": { type: "apiKey", in: "header", name: "X-Saved", value: "s3cret" } });
  const needs = needsOf(server([], { idempotency_key: true, trace_context: true }), [], saved);
  assert.deepEqual(needs.headers, ["content-type", "x-saved", "idempotency-key", "traceparent"]);
});

test("Finding F-4: a document cannot write code into the lines that its user pastes into a server", () => {
  const names = ['x"]); import os; os.system("id', "x'); process.exit(", "x-$uid", "x`id`", "x\ny", "x;}", "", "x".repeat(101)];
  const schemes = names.map((name) => ({ type: "apiKey", in: "header", name }));
  const tools = [{ method: 'GET"' }, { method: "POST" }];
  assert.deepEqual(needsOf(server(schemes, { tools }), [planWith(...names)], {}), { methods: ["POST"], headers: ["content-type"] });
});

test("Finding F-4: an API that nobody knows yet gets the usual methods and headers", () => {
  const [plain] = corsLines(PAGE, USUAL_NEEDS);
  assert.match(plain.text, /Allow-Methods: GET, POST, PUT, PATCH, DELETE\n.*Allow-Headers: content-type, authorization\n/);
});

test("Finding F-4: lines are shown for an API that lets no page in, and not for one whose errors alone cannot be read", () => {
  const origin = "http://api.example";
  for (const code of ["cors", "outcome_unknown"]) {
    assert.equal(wallOf({ code, detail: { origin, reason: "cors" } }), origin);
    assert.equal(wallOf({ code, detail: { origin, reason: "cors", likely_cause: "cors_settings" } }), origin);
    for (const likely_cause of ["error_answer", "redirect"]) assert.equal(wallOf({ code, detail: { origin, reason: "cors", likely_cause } }), null);
  }
  assert.equal(wallOf({ code: "network", detail: { origin } }), null);
  assert.equal(wallOf({ code: "outcome_unknown", detail: { origin, reason: "timeout" } }), null);
});
