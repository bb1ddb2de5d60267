// @ts-check
/** Requests of a login by the companion: each at most once, without cookies, and with a true ending. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CompanionLink, CompanionTransport } from "../../../static/companion/companion_transport.js";
import * as failures from "../../../static/executor/call_failure.js";
import { sendAsChosen, sendByCompanion } from "../../../static/oauth/companion_requests.js";
import { FakeCompanion } from "../support/companion.js";

const TOKEN = "https://login.example/token";
const FORM = /** @type {any} */ ({ method: "POST", headers: { accept: "application/json" }, body: new URLSearchParams({ grant_type: "refresh_token" }) });

function scene() {
  const companion = new FakeCompanion();
  const transport = new CompanionTransport(new CompanionLink(() => companion.openPort(), { timers: companion.timers }), failures);
  const send = sendByCompanion(transport);
  /** @returns {Promise<string[]>} code and words of the failure */
  const failure = () =>
    send(TOKEN, FORM).then(
      () => assert.fail("it succeeded"),
      ({ code, message }) => [code, message],
    );
  return { companion, send, failure };
}

test("a request crosses whole and without a login, each under an id of its own, and its answer comes back", async () => {
  const { companion, send } = scene();
  const answers = [await send(TOKEN, FORM), await send(TOKEN, FORM)];
  assert.deepEqual([answers[0].status, await answers[0].json()], [200, { ok: true }]);
  const [first, second] = /** @type {any[]} */ (companion.heardOf("call"));
  assert.deepEqual([first.method, first.url, first.login, first.headers], ["POST", TOKEN, false, [["accept", "application/json"]]]);
  assert.equal(new TextDecoder().decode(first.body), "grant_type=refresh_token");
  assert.notEqual(first.id, second.id);
});

test("a companion that ends after it has sent leaves it unknown, said so, and nothing is sent again", async () => {
  const { companion, failure } = scene();
  companion.handleCall = (running) => void (companion.sendCall(running), companion.end());
  const [code, words] = await failure();
  assert.equal(code, "unknown");
  assert.match(words, /Nobody knows whether https:\/\/login\.example has done what it was asked, and it is not asked again/);
  assert.equal(companion.performed.length, 1);
});

test("a companion that ends before it has sent, refuses or is missing is said to have sent nothing", async () => {
  const ended = scene();
  ended.companion.handleCall = () => ended.companion.end();
  assert.match((await ended.failure()).join(), /^companion,.*ended before it sent the request/);
  const refused = scene();
  refused.companion.handleCall = ({ say, call }) => say({ type: "refused", id: call.id, code: "method_not_granted", message: "For reading only." });
  assert.match((await refused.failure()).join(), /^companion,For reading only\. Ask for it on the bridge page/);
  assert.deepEqual([ended.companion.performed, refused.companion.performed], [[], []]);
});

test("an answer that breaks off, or is too large, gives no tokens", async () => {
  const broken = scene();
  broken.companion.handleCall = (running) => {
    broken.companion.sendCall(running);
    running.say({ type: "head", id: running.call.id, status: 200, status_text: "OK", headers: [], location: null, ip: null });
    broken.companion.end();
  };
  assert.equal((await broken.failure())[0], "unknown");
  const large = scene();
  large.companion.handleCall = (running) => large.companion.answerCall(running, {}, Array(5).fill("x".repeat(262_144)));
  assert.match((await large.failure()).join(), /larger than 1 MiB/);
});

test("a redirect is not followed", async () => {
  const { companion, failure } = scene();
  companion.handleCall = (running) => companion.answerCall(running, { status: 307, location: "https://thief.example/" }, []);
  assert.match((await failure()).join(), /^network,https:\/\/login\.example answers with a redirect/);
  assert.equal(companion.performed.length, 1);
});

test("each origin goes the way that was chosen for it, and a way that fails is not replaced", async () => {
  /** @type {string[]} */
  const taken = [];
  /** @param {string} way @returns {any} */
  const failing = (way) => async () => (taken.push(way), Promise.reject(new Error(way)));
  const chosen = async (/** @type {string} */ origin) => ({ transport: /** @type {"page" | "companion"} */ (origin === "https://walled.example" ? "companion" : "page"), login: false, headers: [] });
  const send = sendAsChosen(chosen, { page: failing("page"), companion: failing("companion") });
  for (const host of ["walled", "open"]) await send(`https://${host}.example/token`, FORM).catch(() => undefined);
  assert.deepEqual(taken, ["companion", "page"]);
});
