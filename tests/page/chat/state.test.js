// @ts-check
/** A conversation out of messages and events: whatever comes twice, late or out of order shows the same thread. */
import assert from "node:assert/strict";
import test from "node:test";
import { EMPTY, isRunning, applyEvent, withHead, withMessages } from "../../../static/chat/state.js";
import { leafBelow, openCallsOf, threadOf } from "../../../static/chat/thread.js";
import { answered, asked, event, output, story } from "../support/conversation.js";

/** @param {any} state @param {any[]} events */
const after = (state, ...events) => events.reduce(applyEvent, state);

/** What a reader sees, in short. @param {any} state */
function seen(state) {
  return threadOf(state).map((turn) => {
    if (turn.kind === "user") return turn.text;
    return turn.parts.map((part) => (part.kind === "call" ? `${part.call.name} ${part.call.state}` : `${part.kind} ${part.text}`));
  });
}

test("words of an answer grow until it is stored, and stand once", () => {
  const half = after(EMPTY, ...story.begin, event("text_delta", { delta: "Hello" }), event("text_delta", { delta: " there" }));
  assert.deepEqual(seen(half), ["Hi", ["text Hello there"]]);
  assert.ok(isRunning(half));
  const whole = after(half, event("message", { message: answered("m2", "m1", "Hello there") }), story.end);
  assert.deepEqual(seen(whole), ["Hi", ["text Hello there"]]);
  assert.equal(whole.head_id, "m2");
  assert.ok(!isRunning(whole));
});

test("thoughts stand before the text and are live until it begins", () => {
  const thinking = after(EMPTY, ...story.begin, event("reasoning_delta", { delta: "Hm" }));
  const [, turn] = threadOf(thinking);
  assert.deepEqual(turn.kind === "answer" && turn.parts, [{ kind: "reasoning", text: "Hm", live: true }]);
  assert.deepEqual(seen(after(thinking, event("text_delta", { delta: "Yes" }))), ["Hi", ["reasoning Hm", "text Yes"]]);
});

test("a run that is told from its beginning after the messages were read shows nothing twice", () => {
  const messages = [asked("m1", null, "Hi"), answered("m2", "m1", "Let me see.", ["c1"]), output("m3", "m2", "c1", "42")];
  const read = withMessages(EMPTY, messages, "m3");
  const told = after(
    read,
    ...story.begin,
    event("text_delta", { delta: "Let me see." }),
    event("tool_call", { tool_call_id: "c1", tool_name: "c1", arguments: "{}" }),
    event("message", { message: messages[1] }),
    event("tool_response", { tool_call_id: "c1", result: "42", duration_ms: 5 }),
    event("message", { message: messages[2] }),
    event("text_delta", { delta: "It is" }),
  );
  assert.deepEqual(seen(told), ["Hi", ["text Let me see.", "c1 succeeded", "text It is"]]);
});

test("a call goes through its states, and what comes late changes no ending", () => {
  const called = after(EMPTY, ...story.begin, event("tool_call", { tool_call_id: "c1", tool_name: "getPet", arguments: '{"id":1}' }));
  assert.deepEqual(seen(called), ["Hi", ["getPet queued"]]);
  const waits = after(called, event("tool_state", { tool_call_id: "c1", call_id: "call-1", state: "awaiting_approval" }));
  assert.deepEqual([...openCallsOf(threadOf(waits)).keys()], ["call-1"]);
  const over = after(
    waits,
    event("tool_error", { tool_call_id: "c1", result: '{"error":{"code":"denied","message":"No."}}', duration_ms: 9 }),
    event("tool_state", { tool_call_id: "c1", call_id: "call-1", state: "running" }),
  );
  assert.deepEqual(seen(over), ["Hi", ["getPet denied"]]);
  assert.equal(openCallsOf(threadOf(over)).size, 0);
});

test("calls of one round keep their order, whichever ends first", () => {
  const calls = ["a", "b", "c"].map((id) => event("tool_call", { tool_call_id: id, tool_name: id, arguments: "{}" }));
  const round = answered("m2", "m1", null, ["a", "b", "c"]);
  const state = after(EMPTY, ...story.begin, ...calls, event("message", { message: round }), ...calls, event("tool_response", { tool_call_id: "c", result: "3" }));
  assert.deepEqual(seen(state), ["Hi", ["a queued", "b queued", "c succeeded"]]);
});

test("a call that is made again shows its new end, and its old one in the old branch", () => {
  const messages = [asked("m1", null, "Hi"), answered("m2", "m1", null, ["a"]), { ...output("m3", "m2", "a", '{"error":"It broke."}'), state: "failed" }];
  const again = after(
    withMessages(EMPTY, messages, "m3"),
    event("run_started", { run_id: "r2", user_message: null, parent_id: "m2" }),
    event("tool_call", { tool_call_id: "a", tool_name: "a", arguments: "{}" }),
    event("tool_state", { tool_call_id: "a", call_id: "call-2", state: "running" }),
  );
  assert.deepEqual(seen(again), ["Hi", ["a running"]]);
  const done = after(again, event("message", { message: { ...output("m4", "m2", "a", "fine"), state: "succeeded" } }), event("run_ended", { run_id: "r2", state: "completed" }));
  assert.deepEqual(seen(done), ["Hi", ["a succeeded"]]);
  assert.deepEqual(seen(withHead(done, "m3")), ["Hi", ["a failed"]]);
});

test("how a stored call ended is read from its output when nobody told it", () => {
  const messages = [asked("m1", null, "Hi"), answered("m2", "m1", null, ["a", "b", "c"])];
  const outputs = [
    output("m3", "m2", "a", "fine"),
    output("m4", "m3", "b", '{"error":{"code":"denied","message":"Not approved."}}'),
    output("m5", "m4", "c", '{"error":"It broke."}'),
  ];
  assert.deepEqual(seen(withMessages(EMPTY, [...messages, ...outputs], "m5")), ["Hi", ["a succeeded", "b denied", "c failed"]]);
});

test("a call without an output, and no run that could give one, was interrupted", () => {
  const state = withMessages(EMPTY, [asked("m1", null, "Hi"), answered("m2", "m1", null, ["a"])], "m2");
  assert.deepEqual(seen(state), ["Hi", ["a unanswered"]]);
});

test("an edited message is a branch: both stay, and one is shown", () => {
  const first = [asked("m1", null, "Hi"), answered("m2", "m1", "Hello")];
  const state = after(withMessages(EMPTY, first, "m2"), event("message", { message: asked("m3", null, "Hey") }));
  assert.deepEqual(seen(state), ["Hey"]);
  const [turn] = threadOf(state);
  assert.deepEqual(turn.kind === "user" && turn.branch, { siblings: ["m1", "m3"], index: 1 });
  assert.equal(leafBelow(state, "m1"), "m2");
  assert.deepEqual(seen(withHead(state, "m2")), ["Hi", ["text Hello"]]);
});

test("while a message is answered again its first answer is out of the way, and comes back as a branch", () => {
  const first = withMessages(EMPTY, [asked("m1", null, "Hi"), answered("m2", "m1", "Hello")], "m2");
  const again = after(first, event("run_started", { run_id: "r2", user_message: null, parent_id: "m1" }), event("text_delta", { delta: "Good" }));
  assert.deepEqual(seen(again), ["Hi", ["text Good"]]);
  const done = after(again, event("message", { message: answered("m3", "m1", "Good day") }), event("run_ended", { run_id: "r2", state: "completed" }));
  const turn = threadOf(done)[1];
  assert.deepEqual(turn.kind === "answer" && turn.branches, [{ siblings: ["m2", "m3"], index: 1 }]);
});

test("an answer that failed at once takes nothing away: the way back to the one before it stays", () => {
  const first = withMessages(EMPTY, [asked("m1", null, "Hi"), answered("m2", "m1", "Hello")], "m2");
  const failed = after(first, event("run_started", { run_id: "r2", parent_id: "m1" }), event("run_ended", { run_id: "r2", state: "failed", error: null }));
  assert.deepEqual(seen(failed), ["Hi", []]);
  const [, turn] = threadOf(failed);
  assert.deepEqual(turn.kind === "answer" && turn.branches, [{ siblings: ["m2"], index: 1 }]);
});

test("an answer that broke off is known for one after a reload, too", () => {
  const state = withMessages(EMPTY, [asked("m1", null, "Hi"), { ...answered("m2", "m1", "Hel-"), incomplete: true }], "m2");
  const [, turn] = threadOf(state);
  assert.deepEqual(turn.kind === "answer" && turn.ending, { state: "incomplete", error: null, head_id: "m2" });
});

test("how a run ended stands at its end until the next begins", () => {
  const error = { code: "model_unreachable", message: "It does not answer.", detail: {}, retryable: true };
  const failed = after(EMPTY, ...story.begin, event("run_ended", { run_id: "r1", state: "failed", error }));
  const [, turn] = threadOf(failed);
  assert.deepEqual(turn.kind === "answer" && turn.ending, { state: "failed", error, head_id: "m1" });
  assert.deepEqual(seen(after(failed, event("run_started", { run_id: "r2", parent_id: "m1" }))), ["Hi", []]);
});

test("an answer without a word and without trouble leaves no empty place", () => {
  assert.deepEqual(seen(after(EMPTY, ...story.begin, story.end)), ["Hi"]);
});

test("an answer that becomes longer afterwards does not lose the calls below it", () => {
  const round = answered("m2", "m1", "Let me see.", ["c1"]);
  const state = after(
    EMPTY,
    ...story.begin,
    event("message", { message: round }),
    event("message", { message: output("m3", "m2", "c1", "42") }),
    event("message", { message: { ...round, content: "Let me see. Much was left out." } }),
    event("text_delta", { delta: "It is" }),
  );
  assert.deepEqual(seen(state), ["Hi", ["text Let me see. Much was left out.", "c1 succeeded", "text It is"]]);
});

test("a notice that is told twice stands once, with the answer that it is about", () => {
  const notice = event("notice", { level: "warning", text: "The oldest messages were left out." });
  const state = after(EMPTY, ...story.begin, notice, notice, event("message", { message: answered("m2", "m1", "Hello") }), story.end);
  const [, turn] = threadOf(state);
  assert.deepEqual(turn.kind === "answer" && turn.notices.map(({ text }) => text), ["The oldest messages were left out."]);
});

test("a run that is over elsewhere is over here when the line is back", () => {
  assert.ok(!isRunning(after(EMPTY, ...story.begin, event("connected", { run: null }))));
});

test("what a page does not know changes nothing", () => {
  const state = withMessages(EMPTY, [asked("m1", null, "Hi")], "m1");
  assert.equal(after(state, event("keepalive", {}), event("of_tomorrow", {})), state);
});

test("messages that name each other as parents do not hang the page", () => {
  const state = withMessages(EMPTY, [asked("m1", "m2", "Hi"), answered("m2", "m1", "Hello")], "m2");
  assert.equal(threadOf(state).length, 2);
});
