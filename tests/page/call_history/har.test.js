// @ts-check
/** The export of calls: what developer tools read, what is missing is said, and no secret is in it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { harOf } from "../../../static/call_history/har.js";

const SECRET = "s3cr3t";
const originOf = (/** @type {string} */ id) => `https://${id}.test/v1`;

/** @type {any} */
const REQUEST = {
  reads: [],
  method: "POST",
  url: `https://ann:${SECRET}@shop.test/orders?q=tea&api_key=${SECRET}&access-token=${SECRET}`,
  headers: [["content-type", "application/json"], ["Authorization", `Bearer ${SECRET}`], ["X-API-Key", SECRET], ["cookie", SECRET], ["x-auth-token", SECRET]],
  body: '{"item":"tea"}',
  body_bytes: 14,
};

/** @type {any} */
const RESPONSE = {
  http_status: 201,
  status_text: "Created",
  headers: { "content-type": "application/json", "set-cookie": SECRET, "x-session": SECRET },
  bytes: 10,
  total_bytes: 10,
  content_type: "application/json",
  preview: '{"ok":true',
  kind: "text",
};

/** @param {object} [about] @returns {any} */
const live = (about = {}) => ({ id: "a", at: 5000, stored: null, refused: null, live: { call_id: "a", tool: "placeOrder", key: "POST /orders", started_at: 5000, duration_ms: 42, request: REQUEST, response: RESPONSE, error: null, ...about } });

/** @type {any} */
const STORED = { id: "b", at: 1000, live: null, refused: null, stored: { call_id: "b", tool: "getOrder", server: "shop", operation: "GET /orders/{id}", state: "failed", http_status: 404, content_type: "text/plain", error: { code: "http_status" }, arguments: `{"id":"${SECRET}"}`, opened_at: 1, ended_at: 1.5 } };

/** @type {any} */
const REFUSED = { id: "r", at: 1, live: null, stored: null, refused: { id: "r", tool: "nosuch", code: "unknown_tool" } };

test("a call of this browser has its request and its answer, without credentials", () => {
  const { log } = harOf([live()], originOf, false);
  const [{ request, response, ...rest }] = log.entries;
  assert.deepEqual([log.version, rest.startedDateTime, rest.time], ["1.2", "1970-01-01T00:00:05.000Z", 42]);
  assert.equal(request.method, "POST");
  assert.equal(new URL(request.url).searchParams.get("q"), "tea");
  assert.deepEqual(/** @type {any} */ (request).postData, { mimeType: "application/json", text: '{"item":"tea"}' });
  assert.deepEqual([response.status, response.statusText, response.content], [201, "Created", { size: 10, mimeType: "application/json", text: '{"ok":true' }]);
  assert.ok(!JSON.stringify(log).includes(SECRET));
  assert.deepEqual(request.headers.map(({ name }) => name), ["content-type", "Authorization", "X-API-Key", "cookie", "x-auth-token"]);
});

test("every entry has the members that HAR 1.2 demands", () => {
  for (const entry of harOf([live(), live({ response: null }), STORED], originOf, true).log.entries) {
    assert.ok(["startedDateTime", "time", "request", "response", "cache", "timings"].every((name) => name in entry));
    const { request, response, timings } = entry;
    assert.ok(["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"].every((name) => name in request));
    assert.ok(["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"].every((name) => name in response));
    assert.equal(timings.send + timings.wait + timings.receive, entry.time);
  }
});

test("what is missing is said", () => {
  const { log } = harOf([live({ response: { ...RESPONSE, total_bytes: 5000 } }), STORED, REFUSED], originOf, true);
  const [cut, stored] = log.entries;
  assert.match(/** @type {any} */ (cut.response.content).comment, /beginning/);
  assert.match(stored.comment, /neither request nor answer/);
  assert.deepEqual([stored.request.url, stored.response.status, stored.time], ["https://shop.test/v1/orders/%7Bid%7D", 404, 500]);
  assert.ok(!JSON.stringify(log).includes(SECRET), "arguments are not in it");
  assert.equal(log.entries.length, 2);
  assert.match(log.comment, /1 calls that sent no request.*Older calls were not read/);
});
