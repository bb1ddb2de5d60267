// @ts-check
/** Limits, deadlines and breakers as the page keeps and words them. */
import assert from "node:assert/strict";
import test from "node:test";
import { breakerText, subjectOf } from "../../../static/ui/breaker_notice.js";
import { CallControls } from "../../../static/session/call_controls.js";
import { ControlsApi } from "../../../static/session/controls_api.js";
import { deadlineOf, meaningOf, numberOf, whoseDeadline } from "../../../static/ui/limit_text.js";
import { deadlineText, lateResultText } from "../../../static/call_history/stored_call.js";
import { formatTime } from "../../../static/base/time_format.js";
import { SeenCalls, REMEMBERED_CALLS } from "../../../static/executor/call_message.js";

/** @param {object} [fields] @returns {any} */
const limit = (fields) => ({
  name: "TOOL_TIMEOUT_SECONDS",
  value: 60,
  default: 60,
  minimum: 1,
  maximum: 600,
  meaning: "seconds for one call",
  source: "default",
  ...fields,
});

/** @param {object} [fields] @returns {any} */
const breaker = (fields) => ({
  kind: "tool",
  tool: "getPet",
  host: "",
  server_id: "pets",
  operation: "GET /pets/{id}",
  state: "open",
  failures: 5,
  last_error: { code: "network", message: "Nobody answers." },
  open_for_s: 10,
  retry_after_s: 50,
  ...fields,
});

/** @param {object} api */
function controlsWith(api) {
  /** @type {(() => void)[]} */
  const heard = [];
  const executor = /** @type {any} */ ({
    onChanged: (/** @type {string} */ subject, /** @type {() => void} */ callback) => {
      assert.equal(subject, "breakers");
      heard.push(callback);
      return () => {};
    },
    onState: () => () => {},
  });
  return { controls: new CallControls(/** @type {any} */ (api), executor, () => 1_000_000), heard };
}

test("what a limit means is said as a sentence", () => {
  assert.equal(meaningOf(limit()), "Seconds for one call.");
  assert.equal(meaningOf(limit({ name: "BREAKER_MAX_FAILURES", meaning: "failures that count" })), "Failures that count.");
});

test("what is no number is left as it was typed, for the bridge to say what is wrong", () => {
  assert.equal(numberOf(" 2.5 "), 2.5);
  assert.equal(numberOf("2,5"), 2.5);
  assert.equal(numberOf("soon"), "soon");
  assert.equal(numberOf(""), "");
});

test("the closest deadline holds: of the tool, of its server, of the user, of the bridge", () => {
  const scope = { server_id: "pets", operation: "GET /pets" };
  const [user, server, tool] = [
    { server_id: "", operation: "", deadline_s: 30, max_parallel: null, in_order: null },
    { server_id: "pets", operation: "", deadline_s: 20, max_parallel: null, in_order: null },
    { ...scope, deadline_s: 10, max_parallel: null, in_order: null },
  ];
  assert.deepEqual(deadlineOf([user, server, tool], [limit()], scope), { seconds: 10, set_by: "tool" });
  assert.deepEqual(deadlineOf([user, server], [limit()], scope), { seconds: 20, set_by: "server" });
  assert.deepEqual(deadlineOf([user, server], [limit()], {}), { seconds: 30, set_by: "user" });
  const quiet = { ...tool, deadline_s: null, max_parallel: 1 };
  assert.deepEqual(deadlineOf([quiet], [limit()], scope), { seconds: 60, set_by: "TOOL_TIMEOUT_SECONDS" });
  assert.equal(whoseDeadline("server"), "the deadline of its server");
});

test("a tool that is left alone says since when, why, and when it is tried again", () => {
  const open = { ...breaker(), since: 990_000, retry_at: 1_050_000 };
  const { what, why, next } = breakerText(open);
  assert.ok(what.includes(`since ${formatTime(990_000)}: it failed 5 times`), what);
  assert.equal(why, "Last error: Nobody answers.");
  assert.ok(next.includes(formatTime(1_050_000)), next);
  assert.equal(breakerText({ ...open, state: "half_open" }).next, "The next call tries whether it works again.");
  assert.equal(breakerText({ ...open, last_error: null }).why, "");
  assert.ok(breakerText({ ...open, kind: "store" }).what.endsWith("Answers continue without memory."));
});

test("requests to models are no tool: they are named as what they are, and reset alone", async () => {
  const request = { kind: "request", tool: "Requests to openai", host: "", server_id: "", operation: "" };
  const open = { ...breaker(request), since: 990_000, retry_at: 1_050_000 };
  const { what, next } = breakerText(open);
  assert.equal(subjectOf(open), "Requests to openai");
  assert.ok(what.includes(`have been refused since ${formatTime(990_000)}: 5 failed.`), what);
  assert.ok(next.startsWith("The first request after"), next);
  assert.equal(breakerText({ ...open, failures: 1 }).what.includes(": one failed."), true);
  assert.equal(breakerText({ ...open, state: "half_open" }).next, "The next request tries whether the model answers again.");
  /** @type {unknown[]} */
  const sent = [];
  const api = new ControlsApi(/** @type {any} */ ({ sendRequest: async (/** @type {unknown[]} */ ...all) => void sent.push(all) }));
  for (const each of [open, breaker(), breaker({ kind: "host", host: "https://api.example" })]) await api.closeBreaker(each);
  assert.deepEqual(
    sent.map((all) => /** @type {any[]} */ (all)[2]),
    [{ kind: "request" }, { server_id: "pets", operation: "GET /pets/{id}" }, { host: "https://api.example" }],
  );
});

test("only breakers that refuse calls are listed, with times of this clock", async () => {
  const { controls } = controlsWith({ listBreakers: async () => [breaker(), breaker({ tool: "addPet", state: "closed" })] });
  await controls.loadBreakers();
  assert.deepEqual(
    controls.breakers.map(({ tool, since, retry_at }) => ({ tool, since, retry_at })),
    [{ tool: "getPet", since: 990_000, retry_at: 1_050_000 }],
  );
  assert.equal(controls.breakersOf("pets", "GET /pets/{id}", []).length, 1);
  assert.equal(controls.breakersOf("pets", null, []).length, 1);
  assert.equal(controls.breakersOf("pets", "POST /pets", []).length, 0);
  controls.stop();
});

test("a host whose breaker is open concerns every tool that calls it", async () => {
  const host = { kind: "host", tool: "https://api.example", host: "https://api.example", server_id: "", operation: "" };
  const { controls } = controlsWith({ listBreakers: async () => [breaker(host)] });
  await controls.loadBreakers();
  assert.equal(controls.breakersOf("pets", "POST /pets", ["https://api.example"]).length, 1);
  assert.equal(controls.breakersOf("pets", null, ["https://other.example"]).length, 0);
  controls.stop();
});

test("breakers are read again when the bridge says that they changed", async () => {
  let answer = [breaker()];
  const { controls, heard } = controlsWith({ listBreakers: async () => answer });
  controls.start();
  await controls.loadBreakers();
  answer = [];
  const changed = new Promise((resolve) => controls.onChange(() => resolve(true)));
  heard[0]();
  await changed;
  assert.deepEqual(controls.breakers, []);
  controls.stop();
});

test("what came to light after a call had been given up is said plainly", () => {
  assert.equal(lateResultText(null), "");
  const answered = lateResultText({ at: 990, status: "answered", http_status: 201 });
  assert.equal(answered, `The API answered 201 at ${formatTime(990_000)}, after the call had ended. The caller did not get this answer.`);
  assert.equal(lateResultText({ at: 990, status: "failed", code: "cancelled", delivered: "unknown" }), "", "only an echo");
  assert.match(lateResultText({ at: 990, status: "failed", code: "cors", delivered: "no" }), /cors\. The request never left/);
  assert.match(lateResultText({ at: 990, status: "failed", code: "network", delivered: "unknown" }), /is not known/);
});

test("a call that ran out of time says whose deadline it was, and no other call does", () => {
  /** @param {object} detail @returns {any} */
  const error = (detail) => ({ code: "timeout", message: "", detail, retryable: false });
  assert.equal(deadlineText(error({ set_by: "tool" })), "Deadline that ran out: the deadline of this tool.");
  assert.equal(deadlineText(error({})), "");
  assert.equal(deadlineText(null), "");
});

test("a call sent twice is new once; an attempt that was given back is new again", () => {
  const seen = new SeenCalls();
  assert.equal(seen.noteAttempt({ call_id: "a", attempt: 1 }), true);
  assert.equal(seen.noteAttempt({ call_id: "a", attempt: 1 }), false);
  assert.equal(seen.noteAttempt({ call_id: "a", attempt: 2 }), true);
  seen.forgetAttempt({ call_id: "a", attempt: 2 });
  assert.equal(seen.noteAttempt({ call_id: "a", attempt: 2 }), true);
  for (let n = 0; n < REMEMBERED_CALLS; n += 1) seen.noteAttempt({ call_id: `b${n}`, attempt: 1 });
  assert.equal(seen.noteAttempt({ call_id: "a", attempt: 1 }), true, "the oldest is forgotten");
});
