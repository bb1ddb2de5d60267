// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryLocks, MemoryStore } from "../support/memory_store.js";
import { CallJournal } from "../../../static/executor/call_journal.js";
import { CallRecovery } from "../../../static/executor/call_recovery.js";
import { proveUnsent } from "../../../static/companion/lost_call.js";
import { bench, call, failure, never, POST_THINGS } from "../support/runner_bench.js";

/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */

/** @param {MemoryStore} store @param {MemoryLocks} locks @param {string} instance */
const opened = (store, locks, instance) => CallJournal.openJournal(/** @type {any} */ (store), "u1", instance, /** @type {any} */ (locks), () => 7);

/** @type {Outcome} */
const ANSWER = {
  status: "answered",
  http_status: 201,
  status_text: "",
  content_type: "text/plain",
  headers: {},
  body: { kind: "uploaded" },
  truncated: false,
    cut_by: null,
  bytes: 3,
  total_bytes: 3,
  duration_ms: 1,
};

/** A browser whose worker `w1` wrote a journal and died; `w2` greets. @param {(journal: CallJournal) => Promise<void>} life @param {{state: string, epoch: string} | null} [was] what a companion says of any call */
async function afterReload(life, was = null) {
  const [store, locks] = [new MemoryStore(), new MemoryLocks()];
  const first = await opened(store, locks, "w1");
  await life(first);
  locks.held.clear();
  const journal = await opened(store, locks, "w2");
  const said = { sent: /** @type {[string, Outcome][]} */ ([]), uploaded: /** @type {any[]} */ ([]) };
  const asked = /** @type {string[]} */ ([]);
  const companion = { askDid: async (/** @type {string} */ id) => (asked.push(id), was) };
  const recovery = new CallRecovery(journal, {
    sendResult: (callId, outcome) => void said.sent.push([callId, outcome]),
    upload: async (_entry, { content }) => void said.uploaded.push(content),
    proveUnsent: (entry) => proveUnsent(entry, companion),
  });
  return { store, locks, first, journal, recovery, said, asked };
}

test("the journal keeps its epoch until the browser's data is cleared", async () => {
  const { first, journal } = await afterReload(async () => {});
  assert.equal(journal.epoch, first.epoch);
  assert.notEqual((await opened(new MemoryStore(), new MemoryLocks(), "w1")).epoch, first.epoch);
});

test("a request that was begun is never begun again, whoever asks", async () => {
  const { journal } = await afterReload((journal) => journal.recordBegun(call()));
  await assert.rejects(journal.recordBegun(call()), { code: "internal", delivered: "unknown" });
});

test("what the bridge knows is not told again, and not begun again, for a day", async () => {
  let now = 7;
  const [store, locks] = [new MemoryStore(), new MemoryLocks()];
  const open = (/** @type {string} */ instance) =>
    CallJournal.openJournal(/** @type {any} */ (store), "u1", instance, /** @type {any} */ (locks), () => now);
  const first = await open("w1");
  await first.recordBegun(call());
  await first.forgetCalls(["c1", "c2"]);
  assert.equal(store.rows.size, 2);
  await assert.rejects(first.recordBegun(call()), { code: "internal" });
  locks.held.clear();
  const second = await open("w2");
  assert.deepEqual(await second.inheritEntries(), { left: [], alive: [] });
  await assert.rejects(second.recordBegun(call()), { code: "internal" });
  now += 25 * 3600 * 1000;
  await second.inheritEntries();
  assert.equal(store.rows.size, 1);
});

test("a browser that keeps nothing runs nothing that changes something", async () => {
  const store = new MemoryStore();
  store.isBroken = true;
  const journal = await opened(store, new MemoryLocks(), "w1");
  assert.equal(journal.epoch, "");
  await assert.rejects(journal.recordBegun(call()), { code: "browser_storage_unavailable", delivered: "no" });
});

test("after a reload a request under way is lost, and is told once", async () => {
  const { recovery, store, said } = await afterReload((journal) => journal.recordBegun(call()));
  assert.deepEqual(await recovery.listCalls(), { alive: [], calls: [{ call_id: "c1", state: "lost" }] });
  await recovery.reportCalls([]);
  assert.deepEqual([(await recovery.listCalls()).calls, said.sent, store.rows.size], [[], [], 2]);
});

test("after a reload a call that the companion never sent has failed, and may be made again", async () => {
  const { recovery, said, asked } = await afterReload((journal) => journal.recordBegun(call(), "e1"), { state: "never", epoch: "e1" });
  for (let connects = 0; connects < 2; connects += 1) assert.deepEqual((await recovery.listCalls()).calls, [{ call_id: "c1", state: "done" }]);
  await recovery.reportCalls([]);
  const [[id, outcome]] = /** @type {any} */ (said.sent);
  assert.deepEqual([id, outcome.status, outcome.error.code, outcome.error.retryable, outcome.delivered], ["c1", "failed", "no_browser", true, "no"]);
  assert.deepEqual(asked, ["c1"]);
});

test("after a reload a call stays lost that was sent, of which another epoch or nobody speaks, or which was the page's own", async () => {
  const cases = /** @type {[string, {state: string, epoch: string} | null, number][]} */ ([
    ["e1", { state: "sent", epoch: "e1" }, 1],
    ["e1", { state: "never", epoch: "e2" }, 1],
    ["e1", null, 1],
    ["", { state: "never", epoch: "" }, 0],
  ]);
  for (const [epoch, was, questions] of cases) {
    const { recovery, said, asked } = await afterReload((journal) => journal.recordBegun(call(), epoch), was);
    for (let connects = 0; connects < 2; connects += 1) assert.deepEqual((await recovery.listCalls()).calls, [{ call_id: "c1", state: "lost" }]);
    await recovery.reportCalls([]);
    assert.deepEqual([said.sent, asked.length], [[], questions]);
  }
});

test("after a reload a finished result is told, its body first, until it is confirmed", async () => {
  const { recovery, journal, said } = await afterReload((journal) =>
    journal.recordOutcome(call(), ANSWER, { content: "abc", content_type: "text/plain" }),
  );
  assert.deepEqual((await recovery.listCalls()).calls, [{ call_id: "c1", state: "done" }]);
  await recovery.reportCalls([]);
  assert.deepEqual(said, { uploaded: ["abc"], sent: [["c1", ANSWER]] });
  assert.equal((await recovery.listCalls()).calls.length, 1);
  await journal.forgetCalls(["c1"]);
  assert.deepEqual((await recovery.listCalls()).calls, []);
});

test("for a call that has ended the bridge takes no body; what happened is told all the same", async () => {
  const { recovery, said } = await afterReload((journal) =>
    journal.recordOutcome(call(), ANSWER, { content: "abc", content_type: "text/plain" }),
  );
  await recovery.listCalls();
  await recovery.reportCalls(["c1"]);
  assert.deepEqual(said, { uploaded: [], sent: [["c1", { ...ANSWER, body: { kind: "empty" }, truncated: true }]] });
});

test("what another worker has begun is its own affair while it lives", async () => {
  const { recovery, locks } = await afterReload((journal) => journal.recordBegun(call()));
  locks.held.add("tool-bridge-worker:u1:w1");
  assert.deepEqual(await recovery.listCalls(), { alive: ["w1"], calls: [] });
});

test("only what may change something is written down, before it leaves and before its outcome does", async () => {
  const reading = bench();
  await reading.runner.runCall(call(), never);
  assert.deepEqual(reading.seen.journal, []);
  const { runner, seen } = bench(POST_THINGS, { uploadResult: async () => void seen.journal.push("upload") });
  await runner.runCall(call({ params: '{"body": 1}' }), never);
  assert.deepEqual(seen.journal, ["begun c1", "answered c1"]);
  const large = bench(POST_THINGS, {
    fetch: async () => new Response("x".repeat(60), { headers: { "content-type": "text/plain" } }),
    uploadResult: async () => void large.seen.journal.push("upload"),
  });
  await large.runner.runCall(call({ params: '{"body": 1}' }), never);
  assert.deepEqual(large.seen.journal, ["begun c1", "answered c1 with upload", "upload"]);
});

test("a request does not begin while the bridge is out of reach", async () => {
  const { runner, seen } = bench(POST_THINGS, { isConnected: () => false });
  const outcome = await runner.runCall(call({ params: '{"body": 1}' }), never);
  assert.deepEqual([failure(outcome), seen.fetched, seen.journal], ["no_browser no", [], ["begun c1", "failed c1"]]);
});
