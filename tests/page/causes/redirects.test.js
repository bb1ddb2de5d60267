// @ts-check
/** What is said of a redirect that was not followed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainLocation, explainRedirect, otherSlash } from "../../../static/causes/redirects.js";
import { bench, call, GET_THINGS, never, POST_THINGS, shaped, WITH_KEY } from "../support/runner_bench.js";

const ITEMS = "https://api.example/items";

/** @param {number} status @param {string} [type] @returns {typeof fetch} */
const answering = (status, type = "cors") => async () => shaped(new Response(null), { status, type });

test("the other spelling of a path has a slash more or less, and no query", () => {
  assert.equal(otherSlash(`${ITEMS}?q=1`), `${ITEMS}/`);
  assert.equal(otherSlash(`${ITEMS}/?q=1`), ITEMS);
  assert.equal(otherSlash("https://api.example/?q=1"), null);
});

test("Finding W-24: the slash is named where the other spelling answers, whatever it answers to a HEAD", async () => {
  for (const status of [200, 401, 405, 422]) {
    const { words, likely_cause } = await explainRedirect(ITEMS, answering(status));
    assert.equal(likely_cause, "slash");
    assert.match(words, new RegExp(`^/items/ answers \\(status ${status}\\)\\. Most likely only a slash is missing at the end of the path: /items/ is right\\.$`));
  }
  assert.match((await explainRedirect(`${ITEMS}/`, answering(405))).words, /a slash is too much at the end of the path: \/items is right/);
});

test("Finding W-24: where the other spelling has nothing, fails, redirects or cannot be read, only usual causes are told", async () => {
  const others = [answering(404), answering(500), answering(0, "opaqueredirect"), () => Promise.reject(new TypeError("x"))];
  for (const fetch of others) {
    const { words, likely_cause } = await explainRedirect(ITEMS, /** @type {any} */ (fetch));
    assert.equal(likely_cause, undefined);
    assert.match(words, /^Usual causes: a slash .* https, or a login page/);
  }
});

test("Finding W-24: to look for it, one HEAD goes to the same origin, with nothing of the user's or of the call's", async () => {
  /** @type {unknown[]} */
  const asked = [];
  /** @type {typeof globalThis.fetch} */
  const fetch = async (url, init) => {
    asked.push(url, init?.method, init?.redirect, init?.credentials, init?.referrerPolicy, init?.headers, init?.body);
    return shaped(new Response(null), { type: "opaqueredirect", status: 0 });
  };
  await explainRedirect(`${ITEMS}?token=s3cret`, fetch);
  assert.deepEqual(asked, [`${ITEMS}/`, "HEAD", "manual", "omit", "no-referrer", undefined, undefined]);
});

test("Finding W-24: a call that is redirected says the likely cause, and keeps what is not known open", async () => {
  const fetch = async () => shaped(new Response(), { type: "opaqueredirect", status: 0 });
  const explain = async () => ({ words: "Only a slash.", likely_cause: "slash" });
  const outcome = await bench(POST_THINGS, { fetch, explainRedirect: explain }).runner.runCall(call({ params: '{"body":1}' }), never);
  assert.ok(outcome.status === "failed");
  assert.deepEqual([outcome.error.code, outcome.delivered, outcome.error.detail.likely_cause], ["redirect_refused", "unknown", "slash"]);
  assert.match(outcome.error.message, /Only a slash\.$/);
});

test("Finding F-2: a redirect of a call without the credential that its document demands says so", async () => {
  const fetch = async () => shaped(new Response(), { type: "opaqueredirect", status: 0 });
  const outcome = await bench(WITH_KEY, { fetch }).runner.runCall(call(), never);
  assert.ok(outcome.status === "failed");
  assert.deepEqual(outcome.error.detail.missing_credentials, [{ scheme: "key", kind: "credential" }]);
  const saved = await bench(WITH_KEY, { fetch, loadCredentials: async () => ({ key: { value: "s3cret" } }) }).runner.runCall(call(), never);
  assert.ok(saved.status === "failed");
  assert.equal(saved.error.detail.missing_credentials, undefined);
});

test("Finding W-24: where the address is known, as to the companion, it says what is wrong", () => {
  assert.match(explainLocation(ITEMS, `${ITEMS}/`), /only a slash is missing/);
  assert.match(explainLocation(ITEMS, `${ITEMS}/?page=1`), /only a slash is missing/);
  assert.match(explainLocation("http://api.example/items", ITEMS), /wants https/);
  assert.equal(explainLocation(ITEMS, "https://login.example/"), "");
});

test("Finding W-24: a redirect that the page followed too far says where it led, and what that means", async () => {
  const fetch = async () => shaped(new Response("x"), { url: "https://api.example:8443/v1/things?next=s3cret", redirected: true });
  const outcome = await bench(GET_THINGS, { fetch, explainRedirect: () => assert.fail("nothing is asked") }).runner.runCall(call(), never);
  assert.ok(outcome.status === "failed");
  assert.equal(outcome.error.detail.location, "https://api.example:8443/v1/things");
  assert.match(outcome.error.message, /a redirect to https:\/\/api\.example:8443\/v1\/things\./);
});
