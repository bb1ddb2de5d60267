// @ts-check
/** What goes to the companion and comes back, as the page's own fetch would have it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_BYTES, WINDOW_CHUNKS } from "../../../static/companion/protocol.js";
import { CallStopped } from "../../../static/executor/call_failure.js";
import { answerOf, companionBench, settle } from "../support/companion.js";
import { plan } from "../support/plans.js";
import { call, failure, GET_THINGS, never, POST_THINGS, WITH_KEY } from "../support/runner_bench.js";

/** @typedef {import("../../../static/types/types.d.ts").Answered} Answered */
/** @typedef {import("../../../static/types/types.d.ts").Failed} Failed */

const POST = { params: '{"body": {"a": 1}}' };
const UPLOAD = plan({ method: "POST", safe: false, body: { kind: "text", content_type: "text/plain", required: true, argument: "body" } });

test("a request crosses whole, and its answer says which way it took", async () => {
  const { runner, companion, seen } = companionBench(POST_THINGS, { login: true });
  const outcome = /** @type {Answered} */ (await runner.runCall(call(POST), never));
  const [asked] = /** @type {any[]} */ (companion.heardOf("call"));
  assert.deepEqual([asked.id, asked.method, asked.url, asked.login], ["c1", "POST", "https://api.example/v1/things", true]);
  assert.ok(asked.headers.some((/** @type {[string, string]} */ [name, value]) => name === "content-type" && value === "application/json"));
  assert.equal(new TextDecoder().decode(asked.body), '{"a":1}');
  assert.deepEqual([outcome.http_status, outcome.body, outcome.transport, outcome.login], [200, { kind: "text", text: '{"ok":true}' }, "companion", true]);
  assert.deepEqual(seen.logged[0].via, { transport: "companion", login: true, headers: [] });
  assert.deepEqual(seen.fetched, [], "the page itself sent nothing");
});

test("calls that change something have their own id, and others a fresh one each time", async () => {
  const { runner, companion } = companionBench(GET_THINGS);
  await runner.runCall(call(), never);
  await runner.runCall(call({ attempt: 2 }), never);
  const [one, other] = /** @type {any[]} */ (companion.heardOf("call")).map(({ id }) => id);
  assert.ok(one !== other && one !== "c1");
});

test("one that was sent is refused the second time, and is not said to be undone", async () => {
  const { runner, companion } = companionBench(POST_THINGS);
  await runner.runCall(call(POST), never);
  assert.equal(failure(await runner.runCall(call(POST), never)), "internal unknown");
  assert.deepEqual(companion.performed, ["c1"]);
});

test("no companion within a second is said with how to get it, before anything is written down", async () => {
  const { runner, companion, seen } = companionBench(POST_THINGS);
  companion.isThere = false;
  const ended = runner.runCall(call(POST), never);
  await settle();
  await companion.timers.pass(999);
  await companion.timers.pass(1);
  const outcome = /** @type {Failed} */ (await ended);
  assert.deepEqual([failure(outcome), outcome.error.retryable], ["companion_missing no", true]);
  assert.match(outcome.error.message, /how to install it and connect this bridge/);
  assert.deepEqual(seen.journal, []);
});

test("a refusal names what the user can do, and nothing was sent", async () => {
  const words = { not_paired: "companion_missing", not_granted: "companion_refused", login_not_granted: "companion_refused", method_not_granted: "companion_refused", protocol: "companion_refused", forbidden_target: "blocked_by_policy", forbidden_header: "unsendable", too_large: "unsendable", busy: "queue_full", storage: "browser_storage_unavailable", something_new: "companion_refused" };
  for (const [code, ours] of Object.entries(words)) {
    const { runner, companion } = companionBench(POST_THINGS);
    companion.handleCall = ({ call: { id }, say }) => say({ type: "refused", id, code, message: "No." });
    const outcome = /** @type {Failed} */ (await runner.runCall(call(POST), never));
    assert.deepEqual([failure(outcome), outcome.error.detail.reason], [`${ours} no`, code]);
  }
});

test("the browser's own name of a network error tells whether the request left", async () => {
  for (const [net_error, delivered, retryable] of /** @type {const} */ ([
    ["ERR_CERT_AUTHORITY_INVALID", "no", false],
    ["ERR_CONNECTION_REFUSED", "no", true],
    ["ERR_EMPTY_RESPONSE", "unknown", false],
  ])) {
    const { runner, companion } = companionBench(POST_THINGS);
    companion.handleCall = (running) => {
      companion.ledger.set(running.call.id, "sent");
      running.say({ type: "sent", id: running.call.id });
      running.say({ type: "failed", id: running.call.id, net_error, delivered, message: `It failed: ${net_error}.` });
    };
    const outcome = /** @type {Failed} */ (await runner.runCall(call(POST), never));
    assert.deepEqual([failure(outcome), outcome.error.retryable, outcome.error.detail.net_error], [`network ${delivered}`, retryable, net_error]);
  }
});

test("a long body goes in parts, a window ahead of what was taken at most", async () => {
  const { runner, companion } = companionBench(UPLOAD);
  const text = "x".repeat(CHUNK_BYTES * (WINDOW_CHUNKS + 3) + 5);
  /** @type {any} */
  let running;
  companion.handleCall = (one) => void (running = one);
  const ended = runner.runCall(call({ params: JSON.stringify({ body: text }) }), never);
  await settle();
  assert.deepEqual([running.call.body, companion.heardOf("part").length], [text.length, WINDOW_CHUNKS]);
  running.say({ type: "ack", id: "c1", seq: 3 });
  await settle();
  assert.equal(companion.heardOf("part").length, WINDOW_CHUNKS + 4);
  companion.answerCall(running);
  assert.equal((await ended).status, "answered");
  const parts = /** @type {any[]} */ (companion.heardOf("part"));
  assert.deepEqual(parts.map(({ seq }) => seq), [...parts.keys()]);
  assert.equal(parts.reduce((sum, { bytes }) => sum + bytes.byteLength, 0), text.length);
});

test("an answer is acknowledged as it is read, and not read beyond the limit of the page", async () => {
  const { runner, companion } = companionBench(GET_THINGS);
  const texts = Array.from({ length: 30 }, () => "y".repeat(CHUNK_BYTES));
  companion.handleCall = (running) => {
    const messages = answerOf(running.call.id, { headers: [["content-type", "text/plain"]] }, texts);
    for (const message of messages.slice(0, -1)) running.say(message); // its end is far
  };
  const outcome = /** @type {Answered} */ (await runner.runCall(call(), never));
  assert.deepEqual([outcome.truncated, outcome.cut_by, outcome.bytes], [true, "size", 5_000_000]);
  const acks = /** @type {any[]} */ (companion.heardOf("ack")).map(({ seq }) => seq);
  await settle();
  assert.ok(acks.length >= 19 && acks.length <= 21);
  assert.equal(companion.heardOf("cancel").length, 1);
});

test("a chunk that is missing breaks the answer off", async () => {
  const { runner, companion } = companionBench(GET_THINGS);
  companion.handleCall = (running) => {
    companion.sendCall(running);
    const { id } = running.call;
    running.say({ type: "head", id, status: 200, status_text: "", headers: [], location: null, ip: null });
    running.say({ type: "chunk", id, seq: 1, bytes: new ArrayBuffer(3) });
  };
  assert.equal(failure(await runner.runCall(call(), never)), "network unknown");
});

test("a call that is stopped before it was sent is proven unsent; later nobody knows", async () => {
  for (const isSent of [false, true]) {
    const { runner, companion } = companionBench(POST_THINGS);
    const stop = new AbortController();
    companion.handleCall = (running) => {
      if (isSent) companion.sendCall(running);
      stop.abort(new CallStopped("cancelled", "Stopped."));
      const { id } = running.call;
      const message = isSent ? { type: "failed", id, net_error: "cancelled", delivered: "unknown", message: "" } : { type: "refused", id, code: "cancelled", message: "" };
      running.say(message);
    };
    assert.equal(failure(await runner.runCall(call(POST), stop.signal)), `cancelled ${isSent ? "unknown" : "no"}`);
    assert.equal(companion.heardOf("cancel").length, 1);
  }
});

test("a companion that does not answer a stop proves nothing", async () => {
  const { runner, companion } = companionBench(POST_THINGS);
  const stop = new AbortController();
  companion.handleCall = () => stop.abort(new CallStopped("timeout", "Too late."));
  const ended = runner.runCall(call(POST), stop.signal);
  await settle();
  await companion.timers.pass(500);
  assert.equal(failure(await ended), "timeout unknown");
});

test("it is kept awake while a call runs, and left alone after it", async () => {
  const { runner, companion } = companionBench(GET_THINGS);
  /** @type {any} */
  let running;
  companion.handleCall = (one) => void (running = one);
  const ended = runner.runCall(call(), never);
  await settle();
  for (let round = 0; round < 3; round += 1) await companion.timers.pass(20_000);
  assert.equal(companion.heardOf("ping").length, 3);
  companion.answerCall(running);
  await ended;
  await companion.timers.pass(100_000);
  assert.equal(companion.heardOf("ping").length, 3);
});

test("redirects are followed as a page follows them: reading, without a secret, within the API", async () => {
  const redirected = async (/** @type {any} */ asked, /** @type {string} */ location, /** @type {object} */ how = {}) => {
    const { runner, companion } = companionBench(asked, how);
    companion.handleCall = (running) => companion.answerCall(running, companion.performed.length === 0 ? { status: 302, location } : {}, companion.performed.length === 0 ? [] : undefined);
    return { outcome: await runner.runCall(call(asked.safe ? {} : POST), never), companion };
  };
  const followed = await redirected(GET_THINGS, "https://api.example/other");
  assert.equal(followed.outcome.status, "answered");
  assert.equal(/** @type {any} */ (followed.companion.heardOf("call")[1]).url, "https://api.example/other");
  for (const [asked, location, how] of /** @type {any[]} */ ([
    [GET_THINGS, "https://other.example/", {}],
    [POST_THINGS, "https://api.example/other", {}],
    [GET_THINGS, "https://api.example/login?next=secret", { login: true }],
  ])) {
    const { outcome, companion } = await redirected(asked, location, how);
    assert.equal(failure(outcome), "redirect_refused unknown");
    assert.ok(outcome.status === "failed" && outcome.error.detail.location === location.split("?")[0]);
    assert.equal(companion.performed.length, 1);
  }
});

test("Finding W-22: the companion sees where a redirect leads, so a circle is told as one, and ends at its second turn", async () => {
  const { runner, companion } = companionBench(GET_THINGS);
  const places = ["https://api.example/other", "https://api.example/v1/things"];
  companion.handleCall = (running) => companion.answerCall(running, { status: 302, location: places[companion.performed.length % 2] }, []);
  const outcome = await runner.runCall(call(), never);
  assert.equal(failure(outcome), "redirect_refused unknown");
  assert.match(/** @type {Failed} */ (outcome).error.message, /It redirects in a circle\.$/);
  assert.equal(companion.performed.length, 2);
});

test("Finding W-24: through the companion a redirect to the same path with a slash says so", async () => {
  const { runner, companion } = companionBench(POST_THINGS);
  companion.handleCall = (running) => companion.answerCall(running, { status: 307, location: "https://api.example/v1/things/" }, []);
  const outcome = /** @type {Failed} */ (await runner.runCall(call(POST), never));
  assert.match(outcome.error.message, /a slash is missing at the end of the path: \/v1\/things\/ is right\./);
  assert.equal(companion.performed.length, 1, "nothing else is asked");
});

test("Finding F-2: what the companion could read says nothing of what a page may read", async () => {
  const { runner } = companionBench(GET_THINGS);
  runner.environment.noteRead = async () => assert.fail("it was not the page");
  assert.equal((await runner.runCall(call(), never)).status, "answered");
});

test("the login of a browser is no secret of the page: what is saved here is removed from answers all the same", async () => {
  const { runner, companion } = companionBench(WITH_KEY, { login: true });
  runner.environment.loadCredentials = async () => ({ key: { value: "s3cret-value" } });
  companion.handleCall = (running) => companion.answerCall(running, { headers: [["content-type", "text/plain"], ["x-echo", "s3cret-value"]] }, ["it was s3cret-value"]);
  const outcome = /** @type {Answered} */ (await runner.runCall(call(), never));
  assert.deepEqual([outcome.body, outcome.headers["x-echo"]], [{ kind: "text", text: "it was [secret]" }, "[secret]"]);
});

test("headers that only the companion can send are sent as the user set them", async () => {
  const { runner, companion } = companionBench(GET_THINGS, { headers: [["user-agent", "Scanner/1 ü"]] });
  await runner.runCall(call(), never);
  const [asked] = /** @type {any[]} */ (companion.heardOf("call"));
  assert.deepEqual(asked.headers.find((/** @type {[string, string]} */ [name]) => name === "user-agent"), ["user-agent", "Scanner/1 Ã¼"], "as bytes");
});

test("a cookie that the user set goes to the API alone: neither log nor answer shows it", async () => {
  const { runner, companion, seen } = companionBench(GET_THINGS, { headers: [["cookie", "mode=a; sid=s3cret-cookie"]] });
  companion.handleCall = (running) => companion.answerCall(running, { headers: [["content-type", "text/plain"]] }, ["you are s3cret-cookie"]);
  const outcome = /** @type {Answered} */ (await runner.runCall(call(), never));
  const [asked] = /** @type {any[]} */ (companion.heardOf("call"));
  assert.ok(asked.headers.some((/** @type {[string, string]} */ [, value]) => value === "mode=a; sid=s3cret-cookie"));
  assert.deepEqual(outcome.body, { kind: "text", text: "you are [secret]" });
  assert.ok(seen.logged[0].headers.some((/** @type {[string, string]} */ [, value]) => value === "mode=a; sid=[secret]"));
});

test("an answer without a body is one, whatever its status", async () => {
  for (const status of [204, 304, 200]) {
    const { runner, companion } = companionBench(GET_THINGS);
    companion.handleCall = (running) => companion.answerCall(running, { status, headers: [] }, []);
    const outcome = /** @type {Answered} */ (await runner.runCall(call(), never));
    assert.deepEqual([outcome.http_status, outcome.body], [status, { kind: "empty" }]);
  }
});
