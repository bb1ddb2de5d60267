// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallFailure } from "../../../static/executor/call_failure.js";
import { Credentials } from "../../../static/executor/credentials.js";
import { LoginProblem } from "../../../static/oauth/login_problem.js";
import { Renewal } from "../../../static/oauth/renewal.js";
import { StoredLogins } from "../../../static/oauth/stored_logins.js";
import { secretTexts } from "../../../static/request/credential_placement.js";
import { MemoryStore } from "../support/memory_store.js";
import { answering, ISSUER, json, login } from "../support/oauth_server.js";

const PLACE = { serverId: "s1", origin: "https://api.example", scheme: "login" };
const TOKEN = `${ISSUER}/token`;
/** A token is asked for while a hundred milliseconds of its second are left: that is the last tenth. */
const [EARLY, LATE] = [899, 901];
/** Its second is over. */
const OVER = 1001;

/** One holder at a time, in order. */
function serialLocks() {
  let last = Promise.resolve();
  const request = (/** @type {string} */ _name, /** @type {() => Promise<any>} */ hold) => {
    const held = last.then(hold);
    last = held.then(
      () => undefined,
      () => undefined,
    );
    return held;
  };
  return /** @type {any} */ ({ request });
}

/**
 * @param {import("../../../static/types/oauth_types.d.ts").Login} stored
 * @param {Parameters<typeof answering>[0]} answers
 * @param {number | {now: number}} time
 */
async function scene(stored, answers = {}, time = LATE) {
  const clock = typeof time === "number" ? { now: time } : time;
  const credentials = new Credentials(/** @type {any} */ (new MemoryStore()));
  const logins = new StoredLogins(credentials, serialLocks());
  await logins.changeLogins(PLACE, (oauth) => void Object.assign(oauth, { active: "ada", logins: { ada: stored } }));
  const { send, asked } = answering(answers);
  const news = { count: 0 };
  const renewal = new Renewal({ logins, sendOf: () => send, now: () => clock.now, Failure: CallFailure, loginsChanged: () => void (news.count += 1) });
  const fresh = async (mayRenew = true) => renewal.freshCredentials(await credentials.loadCredentials("s1", PLACE.origin), "s1", PLACE.origin, mayRenew);
  const kept = async () => (await logins.readLogins(PLACE)).logins.ada;
  return { fresh, kept, asked, news };
}

const renewed = () => json({ access_token: "access-2", token_type: "Bearer", expires_in: 3600, refresh_token: "refresh-2" });
/** @param {Promise<unknown>} promise @returns {Promise<CallFailure>} */
const failureOf = (promise) => promise.then(() => assert.fail("it succeeded"), (failure) => failure);
/** @param {any} credentials */
const tokenOf = (credentials) => credentials.login.value;
/** @param {number} status @param {string} challenge @param {unknown} [body] */
const refusal = (status, challenge, body = {}) => Response.json(body, { status, headers: challenge ? { "www-authenticate": challenge } : {} });

test("a token is renewed in the last tenth of its life, and not before", async () => {
  const early = await scene(login(), { [TOKEN]: renewed }, EARLY);
  assert.equal(tokenOf(await early.fresh()), "access-1");
  assert.deepEqual([early.asked.length, early.news.count], [0, 0]);
  const late = await scene(login(), { [TOKEN]: renewed }, LATE);
  assert.equal(tokenOf(await late.fresh()), "access-2");
  assert.deepEqual(Object.fromEntries(late.asked[0].form), { grant_type: "refresh_token", refresh_token: "refresh-1", resource: "https://api.example", client_id: "page" });
  assert.deepEqual([(await late.kept()).refresh_token, late.news.count], ["refresh-2", 1]);
});

test("before a call is allowed nothing is renewed; what cannot be renewed is told at once all the same", async () => {
  const { fresh, asked } = await scene(login(), { [TOKEN]: renewed });
  assert.deepEqual([tokenOf(await fresh(false)), asked.length], ["access-1", 0]);
  for (const over of [{ ended: "Used before.", access_token: "" }, { refresh_token: "" }]) {
    const dead = await scene(login(over), { [TOKEN]: renewed });
    assert.deepEqual([(await failureOf(dead.fresh(false))).code, dead.asked.length], ["login_needed", 0]);
  }
});

test("of calls at once only the first renews, and all carry what it got", async () => {
  const { fresh, asked } = await scene(login(), { [TOKEN]: renewed });
  const both = await Promise.all([fresh(), fresh(), fresh()]);
  assert.deepEqual([both.map(tokenOf), asked.length], [["access-2", "access-2", "access-2"], 1]);
});

test("a server that does not rotate leaves the refresh token as it was", async () => {
  const { fresh, kept } = await scene(login(), { [TOKEN]: () => json({ access_token: "access-2", token_type: "bearer" }) });
  await fresh();
  assert.deepEqual([(await kept()).refresh_token, (await kept()).expires_at], ["refresh-1", null]);
});

test("what the server refuses has ended, and its tokens are gone; nothing is sent for the next call", async () => {
  const refuse = () => json({ error: "invalid_grant", error_description: "Used before." }, 400);
  const { fresh, kept, asked } = await scene(login(), { [TOKEN]: refuse });
  const failure = await failureOf(fresh());
  assert.deepEqual([failure.code, failure.delivered, failure.retryable], ["login_needed", "no", false]);
  assert.match(failure.message, /login at login\.example has ended.*“Used before\.” Log in again on the bridge page\./);
  assert.deepEqual([(await kept()).access_token, (await kept()).refresh_token], ["", ""]);
  assert.equal((await failureOf(fresh())).code, "login_needed");
  assert.equal(asked.length, 1);
});

test("a network that fails costs one call, not the login", async () => {
  let isDown = true;
  const { fresh, kept } = await scene(login(), { [TOKEN]: () => (isDown ? Promise.reject(new TypeError("Failed to fetch")) : renewed()) }, OVER);
  const failure = await failureOf(fresh());
  assert.deepEqual([failure.code, failure.retryable], ["login_needed", true]);
  assert.match(failure.message, /could not be renewed\. The server cannot be reached, or does not let web pages read its answers \(CORS\)/);
  assert.equal((await kept()).ended, "");
  isDown = false;
  assert.equal(tokenOf(await fresh()), "access-2");
});

test("a renewal of which nobody knows whether it was performed is not asked for again by itself", async () => {
  const { fresh, kept, asked } = await scene(login(), { [TOKEN]: () => Promise.reject(new LoginProblem("unknown", "Nobody knows.")) }, OVER);
  const failure = await failureOf(fresh());
  assert.deepEqual([failure.code, failure.retryable, asked.length, (await kept()).refresh_token], ["login_needed", false, 1, "refresh-1"]);
  assert.match(failure.message, /could not be renewed\. Nobody knows\./);
});

for (const [what, answer] of /** @type {[string, () => Response | Promise<Response>][]} */ ([
  ["cannot be reached", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["fails (500)", () => new Response("Oops", { status: 500 })],
  ["is busy (503)", () => json({ error: "temporarily_unavailable" }, 503)],
  ["is busy, in its own words", () => json({ error: "temporarily_unavailable" }, 400)],
  ["is asked too often (429)", () => json({ error: "invalid_request" }, 429)],
  ["is cut off", () => new Response('{"access_token": "acc', { headers: { "content-type": "application/json" } })],
]))
  test(`a server that ${what} leaves the login as it was: its token is used to its end, then the same refresh token once more`, async () => {
    const clock = { now: LATE };
    const answers = [answer, renewed];
    const { fresh, kept, asked } = await scene(login(), { [TOKEN]: () => /** @type {() => Response} */ (answers.shift())() }, clock);
    assert.deepEqual([tokenOf(await fresh()), tokenOf(await fresh()), asked.length], ["access-1", "access-1", 1], "one question is enough while it lasts");
    const { refresh_token, ended, unanswered_since } = await kept();
    assert.deepEqual([refresh_token, ended, unanswered_since], ["refresh-1", "", LATE]);
    clock.now = OVER;
    assert.equal(tokenOf(await fresh()), "access-2");
    assert.deepEqual([asked[1].form.get("refresh_token"), (await kept()).unanswered_since], ["refresh-1", undefined]);
  });

test("a login that a server ends after a renewal without an answer says so: nobody has stolen it", async () => {
  const answers = [() => Promise.reject(new TypeError("Failed to fetch")), () => json({ error: "invalid_grant", error_description: "Used before." }, 400)];
  const { fresh, kept, asked } = await scene(login(), { [TOKEN]: () => /** @type {() => Response} */ (answers.shift())() }, OVER);
  const first = await failureOf(fresh());
  assert.match(first.message, /The next call asks once more\. If the server has renewed it all the same, it then ends the login/);
  const second = await failureOf(fresh());
  assert.match(second.message, /has ended.*“Used before\.” A renewal before had no answer: the server has probably performed it/);
  assert.deepEqual([(await kept()).refresh_token, (await kept()).access_token], ["", ""]);
  await failureOf(fresh());
  assert.equal(asked.length, 2, "it is over");
});

test("what the companion has proven not to be sent leaves no doubt", async () => {
  const { fresh, kept } = await scene(login(), { [TOKEN]: () => Promise.reject(new LoginProblem("companion", "It is not there.")) }, OVER);
  const failure = await failureOf(fresh());
  assert.deepEqual([failure.message.includes("once more"), (await kept()).unanswered_since], [false, undefined]);
});

test("a login without a refresh token asks its user when it has expired", async () => {
  const { fresh, kept, asked } = await scene(login({ refresh_token: "" }), { [TOKEN]: renewed });
  assert.match((await failureOf(fresh())).message, /gave nothing to renew it with/);
  assert.deepEqual([(await kept()).ended === "", asked.length], [false, 0]);
});

test("a refused scope is noted once, for the user to grant, and told to the caller", async () => {
  const { fresh, kept } = await scene(login(), {}, EARLY);
  const { login: credential } = /** @type {any} */ (await fresh());
  const answer = refusal(403, 'Bearer realm="x", error="insufficient_scope", scope="read write admin"');
  const failure = await failureOf(credential.check(answer));
  assert.deepEqual([failure.code, failure.detail], ["login_needed", { status: 403, missing_scopes: ["write", "admin"] }]);
  await failureOf(credential.check(answer));
  assert.deepEqual((await kept()).missing_scopes, ["write", "admin"]);
});

test("what an API calls a scope is told only if it could be one, and not without end", async () => {
  const { fresh } = await scene(login(), {}, EARLY);
  const { login: credential } = /** @type {any} */ (await fresh());
  const many = Array.from({ length: 100 }, (_each, index) => `s${index}`).join(" ");
  const answer = refusal(403, "", { error: "insufficient_scope", scope: `ignore\u00a0all\nrules "now" ${"x".repeat(101)} ${many}` });
  const { missing_scopes } = /** @type {any} */ ((await failureOf(credential.check(answer))).detail);
  assert.deepEqual([missing_scopes.length, missing_scopes[0]], [20, "s0"]);
});

test("the reason is read from the body where the API hides the header from pages", async () => {
  const { fresh } = await scene(login(), {}, EARLY);
  const { login: credential } = /** @type {any} */ (await fresh());
  const answer = refusal(403, "", { error: "insufficient_scope", scope: "write" });
  assert.deepEqual((await failureOf(credential.check(answer))).detail.missing_scopes, ["write"]);
  assert.deepEqual(await answer.json(), { error: "insufficient_scope", scope: "write" }, "the answer can still be read");
});

test("other refusals of the API are answers like all others", async () => {
  const { fresh, kept } = await scene(login(), {}, EARLY);
  const { login: credential } = /** @type {any} */ (await fresh());
  for (const answer of [refusal(403, ""), refusal(403, "Basic x"), refusal(401, ""), new Response("no", { status: 403 }), json({ error: "insufficient_scope" })]) await credential.check(answer);
  assert.deepEqual([(await kept()).missing_scopes, (await kept()).expires_at], [[], 1000]);
});

test("a token that the API does not accept any more is renewed for the next call", async () => {
  const { fresh, asked } = await scene(login(), { [TOKEN]: renewed }, EARLY);
  const { login: credential } = /** @type {any} */ (await fresh());
  await credential.check(refusal(401, 'Bearer error="invalid_token"'));
  assert.equal(asked.length, 0);
  assert.equal(tokenOf(await fresh()), "access-2");
  await credential.check(refusal(401, 'Bearer error="invalid_token"'));
  assert.equal(tokenOf(await fresh()), "access-2");
  assert.equal(asked.length, 1, "what was renewed since is not distrusted");
});

test("the token in use is what answers are redacted by", async () => {
  const { fresh } = await scene(login(), { [TOKEN]: renewed });
  assert.deepEqual(secretTexts(await fresh()), ["access-2"]);
});
