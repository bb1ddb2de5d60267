// @ts-check
/** Why an answer could not be read, decided by what could be read before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainUnreadable } from "../../../static/causes/unreadable_answer.js";
import { shaped } from "../support/runner_bench.js";

const ORIGIN = "https://api.example";
const AT = Date.UTC(2026, 10, 29, 10, 56, 30);
/** @type {import("../../../static/types/types.d.ts").MissingCredential[]} */
const MISSING = [{ scheme: "token", kind: "login" }, { scheme: "app", kind: "credential" }];
const notAsked = () => assert.fail("no request may be sent");

/** @param {string} method @param {string[]} [headers] */
const read = (method, headers = []) => ({ origin: ORIGIN, method, headers, at: AT });

/**
 * @param {Partial<import("../../../static/causes/unreadable_answer.js").UnreadRequest>} request
 * @param {import("../../../static/types/types.d.ts").PastRead[]} [reads]
 * @param {typeof globalThis.fetch} [fetch]
 */
async function cause(request, reads = [], fetch = notAsked) {
  const { code, message, detail, delivered } = await explainUnreadable({ url: `${ORIGIN}/x`, ...request }, { detail: { origin: ORIGIN }, reads, fetch });
  assert.equal(delivered, "unknown");
  return { cause: `${code} ${detail.likely_cause ?? ""}`.trim(), message, detail };
}

test("Finding W-23: an API whose answers could be read before most likely failed, and CORS is not blamed", async () => {
  const found = await cause({ method: "GET" }, [read("GET")]);
  assert.equal(found.cause, "cors error_answer");
  assert.match(found.message, /has let this page read answers \(last at 2026-11-29 10:56 UTC\), so CORS is set up there\. Most likely this answer was an error/);
  assert.doesNotMatch(found.message, /must allow/);
});

test("Finding W-23: where nothing could be read before, nothing is claimed of an error", async () => {
  const found = await cause({ method: "GET" });
  assert.equal(found.cause, "cors");
  assert.match(found.message, /The API must allow the origin/);
});

test("Finding F-2: a method or header that was in no readable request is named, for CORS allows each of them apart", async () => {
  const reads = [read("GET"), read("POST", ["content-type"])];
  assert.match((await cause({ method: "PUT" }, reads)).message, /but none yet to a request with the method PUT\./);
  assert.match((await cause({ method: "POST", headers: ["content-type", "x-key"] }, reads)).message, /with the header x-key\./);
  assert.equal((await cause({ method: "DELETE", headers: ["x-key"] }, reads)).cause, "cors cors_settings");
});

test("Finding F-2: methods that browsers send unasked need no example, and headers of several requests add up", async () => {
  const reads = [read("POST", ["content-type"]), read("GET", ["x-key"])];
  assert.equal((await cause({ method: "HEAD" }, reads)).cause, "cors error_answer");
  assert.equal((await cause({ method: "POST", headers: ["content-type", "x-key"] }, reads)).cause, "cors error_answer");
});

test("Finding F-2: a credential that the document demands and this browser lacks is named beside any cause", async () => {
  const found = await cause({ missing: MISSING }, [read("GET")]);
  assert.match(found.message, /demands a credential that this request did not carry \(token, app\)/);
  assert.deepEqual(found.detail.missing_credentials, MISSING);
  assert.equal((await cause({ missing: [] })).detail.missing_credentials, undefined);
});

/** @param {boolean} isCircle @returns {typeof fetch} */
const redirecting = (isCircle) => async (_url, init) => {
  if (init?.redirect === "manual") return shaped(new Response(null), { type: "opaqueredirect", status: 0 });
  if (isCircle) throw new TypeError("Failed to fetch");
  return shaped(new Response(null), { type: "opaque", status: 0 });
};

test("Finding W-22: a redirect that no request gets to the end of is told as a likely circle", async () => {
  const found = await cause({ method: "GET", mayRepeat: true }, [], redirecting(true));
  assert.equal(found.cause, "redirect_refused redirect_circle");
  assert.match(found.message, /never answers it: most likely in a circle/);
});

test("Finding W-22: a redirect to an answer that nobody may read is no circle", async () => {
  assert.equal((await cause({ method: "GET", mayRepeat: true }, [], redirecting(false))).cause, "cors redirect");
});

test("Finding W-22: without leave to repeat the request nothing is sent to find out", async () => {
  assert.equal((await cause({ method: "POST" }, [], notAsked)).cause, "cors");
});
