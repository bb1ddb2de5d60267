// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApprovalQueue } from "../../../static/approvals/approval_queue.js";
import { grantOf } from "../../../static/approvals/approval_policy.js";
import { describeCall } from "../../../static/approvals/approval_preview.js";
import { CallFailure } from "../../../static/executor/call_failure.js";
import { PageGrants } from "../../../static/approvals/grants.js";
import { truncateText, escapeInvisible, escapeInvisibleLines } from "../../../static/base/untrusted_text.js";
import { WaitingCards } from "../../../static/session/pending_approvals.js";
import { bench, call, POST_THINGS, WITH_KEY } from "../support/runner_bench.js";
import { MemoryStore } from "../support/memory_store.js";

/** @typedef {import("../../../static/types/types.d.ts").PageGrant} PageGrant */
const NOW = 1_000_000;
const ORDER = call({ key: "POST /orders", chat_id: "chat-1" });
/** @param {"chat" | "timed" | "always"} decision */
const granted = (decision) => /** @type {PageGrant} */ (grantOf(decision, ORDER, NOW));

test("grants that cannot be read are none, and one that cannot be stored harms no call", async () => {
  const store = new MemoryStore();
  const grants = new PageGrants(/** @type {any} */ (store));
  store.isBroken = true;
  await grants.addGrant(granted("always"));
  assert.deepEqual(await grants.grantsOf("s1", "POST /orders"), []);
});

/** A queue with clocks and timers that a test moves. @param {object} [change] */
function scene(change = {}) {
  const told = /** @type {string[]} */ ([]);
  const clock = { mono: 0, wall: NOW };
  const timers = /** @type {{callback: () => void, at: number}[]} */ ([]);
  const asked = /** @type {{callId: string, decision: string, reason: string, answer: (reply: any) => void}[]} */ ([]);
  const stored = /** @type {PageGrant[]} */ ([]);
  const environment = {
    describeCall: async (/** @type {any} */ { call_id }) => /** @type {any} */ ({ tool: call_id }),
    submitDecision: (/** @type {string} */ callId, /** @type {any} */ said) =>
      new Promise((answer) => void asked.push({ callId, ...said, answer })),
    grants: { addGrant: async (/** @type {PageGrant} */ grant) => void stored.push(grant) },
    clock: { monotonic: () => clock.mono, wall: () => clock.wall },
    timers: {
      set: (/** @type {() => void} */ callback, /** @type {number} */ ms) => {
        const timer = { callback, at: clock.mono + ms };
        timers.push(timer);
        return timer;
      },
      clear: (/** @type {any} */ timer) => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1)),
    },
    ...change,
  };
  const queue = new ApprovalQueue(/** @type {any} */ (environment), {
    callApproved: ({ call_id, deadline_ms }) => void told.push(`approved ${call_id} ${deadline_ms}`),
    callQueued: ({ call_id }) => void told.push(`queued ${call_id}`),
    callFailed: ({ call_id }, { code }) => void told.push(`failed ${call_id} ${code}`),
    callClosed: ({ call_id }, { code }) => void told.push(`closed ${call_id} ${code}`),
    cardsChanged: () => {},
  });
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  return { queue, told, clock, timers, asked, stored, rest };
}

test("a call waits until its user and the bridge have said go", async () => {
  const { queue, told, asked, rest } = scene();
  await queue.addCall(call());
  assert.deepEqual(queue.cards.map(({ call_id, asked_by, expires_at }) => [call_id, asked_by, expires_at]), [["c1", "key laptop", NOW + 1000]]);
  queue.decideCalls(["c1"], "once");
  assert.deepEqual([told, queue.cards, queue.callIds], [[], [], ["c1"]]);
  asked[0].answer({ may_begin: true, deadline_ms: 700 });
  await rest();
  assert.deepEqual([told, queue.size], [["approved c1 700"], 0]);
});

test("a grant given on another card does not approve a call that may have been performed already", async () => {
  const { queue } = scene();
  for (const each of [call(), call({ call_id: "c2", doubted: { call_id: "c0", opened_at: 5 } })]) await queue.addCall(each);
  queue.decideCalls(["c1"], "always");
  assert.deepEqual(queue.cards.map(({ call_id, doubted }) => [call_id, doubted?.call_id]), [["c2", "c0"]]);
});

test("the first click counts, in whatever tab", async () => {
  const { queue, asked, told, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "denied");
  queue.decideCalls(["c1"], "once");
  asked[0].answer({ may_begin: false, deadline_ms: 0 });
  await rest();
  assert.deepEqual([asked.length, asked[0].decision, told], [1, "denied", ["closed c1 denied"]]);
});

for (const hand of /** @type {const} */ (["mono", "wall"]))
  test(`after its time a card starts nothing, by the ${hand} clock alone`, async () => {
    const { queue, clock, asked, told, rest } = scene();
    await queue.addCall(call());
    clock[hand] += 1000;
    queue.decideCalls(["c1"], "always");
    assert.deepEqual([asked[0].decision, asked[0].reason], ["denied", "no_answer"]);
    asked[0].answer({ may_begin: true, deadline_ms: 500 });
    await rest();
    assert.deepEqual(told, ["closed c1 denied"]);
  });

test("a go that comes after the time is over is answered with a failure, not with a request", async () => {
  const { queue, clock, asked, told, stored, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "always");
  clock.wall += 3_600_000; // the lid was closed
  asked[0].answer({ may_begin: true, deadline_ms: 500 });
  await rest();
  assert.deepEqual([told, stored], [["failed c1 denied"], []]);
});

const WAIT = { may_begin: false, awaiting_slot: true, deadline_ms: 0 };

test("an approved call that has to wait asks again when its turn came, and then goes", async () => {
  const { queue, clock, asked, told, stored, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "always");
  asked[0].answer(WAIT);
  await rest();
  assert.deepEqual([told, queue.cards, queue.callIds], [["queued c1"], [], ["c1"]]);
  clock.mono = clock.wall = NOW + 5000; // the time of its card is long over, and it was approved within
  queue.grantSlot("c1");
  assert.deepEqual([asked.length, asked[1].decision], [2, "always"]);
  asked[1].answer({ may_begin: true, awaiting_slot: false, deadline_ms: 400 });
  await rest();
  assert.deepEqual([told, stored.length, queue.size], [["queued c1", "approved c1 400"], 1, 0]);
});

test("a turn that comes before the word that there is a wait is not missed", async () => {
  const { queue, asked, told, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "once");
  queue.grantSlot("c1");
  asked[0].answer(WAIT);
  await rest();
  asked[1].answer({ may_begin: true, awaiting_slot: false, deadline_ms: 400 });
  await rest();
  assert.deepEqual(told, ["queued c1", "approved c1 400"]);
});

test("after a reconnect what waits asks again: the word that it is its turn may be lost", async () => {
  const { queue, asked, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "once");
  asked[0].answer(WAIT);
  await rest();
  queue.repeatDecisions();
  asked[1].answer(WAIT);
  await rest();
  assert.deepEqual([asked.length, queue.callIds], [2, ["c1"]]);
});

test("what waits for its turn can be taken back by its user, or ended by the bridge", async () => {
  const { queue, asked, told, rest } = scene();
  for (const call_id of ["c1", "c2"]) await queue.addCall(call({ call_id }));
  queue.decideCalls(["c1", "c2"], "once");
  for (const { answer } of [...asked]) answer(WAIT);
  await rest();
  queue.decideCalls(["c1"], "denied");
  asked[2].answer({ may_begin: false, awaiting_slot: false, deadline_ms: 0 });
  assert.equal(queue.withdrawCall("c2"), true);
  await rest();
  assert.deepEqual(told, ["queued c1", "queued c2", "closed c2 cancelled", "closed c1 denied"]);
});

test("a go that comes long after its turn starts nothing", async () => {
  const { queue, clock, asked, told, rest } = scene();
  await queue.addCall(call());
  queue.decideCalls(["c1"], "once");
  asked[0].answer(WAIT);
  await rest();
  queue.grantSlot("c1");
  clock.wall += 3_600_000; // the lid was closed
  asked[1].answer({ may_begin: true, awaiting_slot: false, deadline_ms: 400 });
  await rest();
  assert.deepEqual(told, ["queued c1", "failed c1 denied"]);
});

test("no answer in time is a denial, which the timer gives", async () => {
  const { queue, timers, asked } = scene();
  await queue.addCall(call());
  timers[0].callback();
  assert.deepEqual([asked[0].decision, asked[0].reason, queue.cards], ["denied", "no_answer", []]);
});

test("a call that ended elsewhere loses its card and its go", async () => {
  const { queue, asked, told, rest } = scene();
  await queue.addCall(call());
  assert.equal(queue.withdrawCall("c1"), true);
  assert.deepEqual([told, queue.size, queue.withdrawCall("c1")], [["closed c1 cancelled"], 0, false]);
  await queue.addCall(call({ call_id: "c2" }));
  queue.decideCalls(["c2"], "once");
  queue.withdrawCall("c2");
  asked[0].answer({ may_begin: true, deadline_ms: 500 });
  await rest();
  assert.deepEqual(told, ["closed c1 cancelled", "failed c2 cancelled"]);
});

test("what cannot be made is not asked about, and the bridge hears why", async () => {
  const describeCall = async () => Promise.reject(new CallFailure("unsendable", "No address."));
  const { queue, told } = scene({ describeCall });
  await queue.addCall(call());
  assert.deepEqual([told, queue.size], [["failed c1 unsendable"], 0]);
});

test("a call that is sent twice has one card", async () => {
  const { queue } = scene();
  await queue.addCall(call());
  await queue.addCall(call({ attempt: 2 }));
  assert.equal(queue.cards.length, 1);
});

test("allowing an operation lets the other waiting calls of it go, and no others", async () => {
  const { queue, asked, stored, rest } = scene();
  for (const [call_id, change] of Object.entries({ a: {}, b: {}, c: { digest: "d2" }, d: { key: "PUT /x" } })) await queue.addCall(call({ call_id, ...change }));
  queue.decideCalls(["a"], "always");
  assert.deepEqual(asked.map(({ callId }) => callId), ["a", "b"]);
  for (const { answer } of asked) answer({ may_begin: true, deadline_ms: 5 });
  await rest();
  assert.deepEqual(stored.map(({ scope, digest }) => [scope, digest]), [["always", "d1"], ["always", "d1"]]);
});

test("Finding S-M5: allowing an operation lets no waiting call go that takes a file from another API, for its card says more", async () => {
  const describeCall = async (/** @type {any} */ { call_id }) => ({ tool: call_id, reason: call_id === "b" ? "file" : "unsafe" });
  const { queue, asked } = scene({ describeCall });
  for (const call_id of ["a", "b"]) await queue.addCall(call({ call_id }));
  queue.decideCalls(["a"], "always");
  assert.deepEqual(asked.map(({ callId }) => callId), ["a"]);
  queue.decideCalls(["b"], "once");
  assert.deepEqual(asked.map(({ callId, decision }) => `${callId} ${decision}`), ["a always", "b once"]);
});

test("Finding S-M2: allowing an operation for a chat lets no waiting call of another caller go that names the chat", async () => {
  const { queue, asked } = scene();
  for (const [call_id, caller_id] of [["a", "k1"], ["b", "k2"], ["c", "k1"], ["d", ""]]) await queue.addCall(call({ call_id, caller_id, chat_id: "chat-1" }));
  queue.decideCalls(["a"], "chat");
  assert.deepEqual(asked.map(({ callId }) => callId), ["a", "c"]);
});

test("cards of a worker that died with its tab are dropped, those of a living one stay", async () => {
  const cards = new WaitingCards(() => {}, { query: async () => ({ held: [{ name: "tool-bridge-worker:u:w2" }] }) });
  for (const worker of ["w1", "w2", "w3"]) cards.putCards(worker, [/** @type {any} */ ({ call_id: worker })]);
  await cards.dropDeadWorkers("w3");
  assert.deepEqual(cards.allCards.map(({ call_id }) => call_id), ["w2", "w3"]);
});

test("a card shows what would be sent, which credential goes along and never its value, and fetches nothing", async () => {
  const renewals = /** @type {boolean[]} */ ([]);
  const { runner, seen } = bench(WITH_KEY, { loadCredentials: async (_server, _origin, mayRenew) => (renewals.push(mayRenew), { key: { value: "s3cret-value" } }) });
  const facts = await describeCall(runner, call({ params: "{}" }));
  assert.deepEqual([facts.method, facts.url, facts.credentials], ["GET", "https://api.example/v1/things?key=[secret]", ["key (query)"]]);
  assert.equal(JSON.stringify(facts).includes("s3cret"), false);
  assert.deepEqual([seen.fetched, renewals], [[], [false]]);
});

test("the arguments of a card keep their digits, and its body is the one that is sent", async () => {
  const { runner } = bench(POST_THINGS);
  const facts = await describeCall(runner, call({ params: '{"body": {"id": 12345678901234567890, "text": "a"}}' }));
  assert.deepEqual(facts.args, [{ name: "body", value: '{"id":12345678901234567890,"text":"a"}', is_json: true }]);
  assert.equal(facts.body, '{"id":12345678901234567890,"text":"a"}');
});

test("nothing in foreign text is invisible, turns its neighbours environment or breaks its line", () => {
  assert.equal(escapeInvisible("pay\u202Egnihton"), "pay\\u{202E}gnihton");
  assert.equal(escapeInvisible("a\u200Bb\u00ADc\uFEFFd\u{E0041}"), "a\\u{200B}b\\u{AD}c\\u{FEFF}d\\u{E0041}");
  assert.equal(escapeInvisible("one\r\ntwo\nthree\tfour\u2028five\0"), "one↵two↵three⇥four\\u{2028}five\\u{0}");
  assert.equal(escapeInvisible("a\u00A0\u3000\u2800\u3164b"), "a\\u{A0}\\u{3000}\\u{2800}\\u{3164}b");
  assert.equal(escapeInvisible("\uD800x"), "\\u{D800}x");
  assert.equal(escapeInvisible(`e${"\u0301".repeat(5)}`), `e${"\\u{301}".repeat(5)}`);
  assert.equal(escapeInvisible("Grüße, שלום, 日本 👍 é"), "Grüße, שלום, 日本 👍 é");
  assert.equal(escapeInvisibleLines("one\ntwo"), "one↵\ntwo");
});

test("long text is cut by characters and by lines, and says that it is", () => {
  assert.deepEqual(truncateText("abcdef", 3), { text: "abc", isCut: true });
  assert.deepEqual(truncateText("a\nb\nc", 10, 2), { text: "a\nb", isCut: true });
  assert.deepEqual(truncateText("abc", 3, 1), { text: "abc", isCut: false });
});

test("a policy denies as a click does, and says that it was the policy", async () => {
  const { queue, told, asked, rest } = scene();
  await queue.addCall(ORDER);
  queue.decideCalls([ORDER.call_id], "denied", "policy");
  await rest();
  assert.deepEqual([asked[0].decision, asked[0].reason], ["denied", "policy"]);
  asked[0].answer({ may_begin: false, awaiting_slot: false, deadline_ms: 0 });
  await rest();
  assert.deepEqual(told, [`closed ${ORDER.call_id} denied`]);
});
