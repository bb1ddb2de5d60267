// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { BridgeSocket } from "../../../static/connection/bridge_socket.js";
import { CallArrivals } from "../../../static/executor/call_message.js";
import { CallFailure, failureOf } from "../../../static/executor/call_failure.js";
import { CallJournal } from "../../../static/executor/call_journal.js";
import { CallRecovery } from "../../../static/executor/call_recovery.js";
import { MemoryLocks, MemoryStore } from "../support/memory_store.js";
import { call } from "../support/runner_bench.js";

/** @typedef {import("../../../static/types/types.d.ts").ToolCall} ToolCall */

/** @param {MemoryStore} store @param {string} [instance] */
const opened = (store, instance = "w1") =>
  CallJournal.openJournal(/** @type {any} */ (store), "u1", instance, /** @type {any} */ (new MemoryLocks()), () => 7);

/**
 * Calls that arrive at a worker; `said` collects what was answered and done.
 * @param {Partial<import("../../../static/executor/call_message.js").ArrivalDelegate> & {results?: string[], isThere?: () => boolean}} [state]
 */
function arrivals({ results = [], isThere = () => true, ...state } = {}) {
  /** @type {string[]} */
  const said = [];
  const arriving = new CallArrivals(
    {
      isUnderWay: () => false,
      isWaiting: () => false,
      isSafe: async () => false,
      doubtOf: async () => null,
      refusalOf: async () => null,
      mustAsk: async () => false,
      approvalNeeded: () => void said.push("asks"),
      callArrived: ({ attempt }) => void said.push(`begins ${attempt}`),
      callDoubted: (_call, { code, delivered }) => void said.push(`${code} ${delivered}`),
      ...state,
    },
    (callId) => results.includes(callId),
  );
  /** @param {number} attempt */
  const receive = (attempt) =>
    arriving.receiveCall(call({ attempt }), {
      isThere,
      answer: (ack) => void said.push(ack.error ? "refused" : ack.awaiting_approval ? "ack asks" : "ack"),
      repeatResult: () => void said.push("repeats"),
    });
  return { receive, said };
}

const REFUSED = { code: "not_accepted", message: "", detail: {}, retryable: false };

test("a call that comes twice is begun once, and answered twice", async () => {
  const { receive, said } = arrivals();
  for (const attempt of [1, 1, 2]) await receive(attempt);
  assert.deepEqual(said, ["ack", "begins 1", "ack", "repeats", "ack", "begins 2"]);
});

test("Finding R-2: a call that runs or was begun here is neither refused, nor asked about, nor begun by a further attempt", async () => {
  const { receive, said } = arrivals({ isUnderWay: () => true, refusalOf: async () => REFUSED, mustAsk: async () => true });
  await receive(2);
  assert.deepEqual(said, ["ack", "repeats"]);
});

test("Finding R-2: a call that came to be under way while its next attempt was looked at is not refused", async () => {
  let isUnderWay = false;
  const { receive, said } = arrivals({ isUnderWay: () => isUnderWay, refusalOf: async () => ((isUnderWay = true), REFUSED) });
  await receive(2);
  assert.deepEqual(said, ["ack", "repeats"]);
});

test("Finding R-2: a call that the journal has begun, or that it cannot tell of, ends in doubt, whatever else would refuse it", async () => {
  const doubt = new CallFailure("internal", "", { delivered: "unknown" });
  const { receive, said } = arrivals({ doubtOf: async () => doubt, refusalOf: async () => REFUSED, mustAsk: async () => true });
  await receive(2);
  assert.deepEqual(said, ["ack", "internal unknown"]);
});

test("Finding R-2: a result that waits to be confirmed is repeated for a further attempt, unless the call only reads", async () => {
  const [changing, reading] = [arrivals({ results: ["c1"] }), arrivals({ results: ["c1"], isSafe: async () => true })];
  for (const { receive } of [changing, reading]) await receive(2);
  assert.deepEqual([changing.said, reading.said], [["ack", "repeats"], ["ack", "begins 2"]]);
});

test("a call whose connection was lost while it was looked at has never arrived", async () => {
  let isThere = false;
  const { receive, said } = arrivals({ isThere: () => isThere });
  await receive(1);
  isThere = true;
  await receive(1);
  assert.deepEqual(said, ["ack", "begins 1"]);
});

test("Finding R-2: a full disk does not make the journal forget what it has begun", async () => {
  const store = new MemoryStore();
  const journal = await opened(store);
  await journal.recordBegun(call());
  store.isFull = true;
  for (const attempt of [1, 2]) await assert.rejects(journal.recordBegun(call({ attempt })), { code: "internal", delivered: "unknown" });
  await assert.rejects(journal.recordBegun(call({ call_id: "c2", attempt: 2 })), { code: "browser_storage_unavailable", delivered: "no" });
});

test("Finding R-2: a further attempt is in doubt in every worker of the browser, also once the bridge knows its end", async () => {
  const store = new MemoryStore();
  const first = await opened(store);
  await first.recordBegun(call());
  const second = await opened(store, "w2");
  await assert.rejects(second.checkNotBegun(call({ attempt: 2 })), { code: "internal", delivered: "unknown" });
  await first.forgetCalls(["c1"]);
  await assert.rejects(second.checkNotBegun(call({ attempt: 2 })), { delivered: "unknown" });
  await second.checkNotBegun(call({ call_id: "c2", attempt: 2 }));
});

test("Finding R-2: a journal that cannot be read proves nothing about a further attempt; of a first one there is nothing to prove", async () => {
  const store = new MemoryStore();
  const journal = await opened(store);
  store.isBroken = true;
  const doubt = await journal.checkNotBegun(call({ attempt: 2 })).then(() => null, failureOf);
  assert.deepEqual([doubt?.code, doubt?.delivered], ["browser_storage_unavailable", "unknown"]);
  await assert.rejects(journal.recordBegun(call({ attempt: 2 })), { code: "browser_storage_unavailable", delivered: "unknown" });
  await journal.checkNotBegun(call());
  await assert.rejects(journal.recordBegun(call()), { code: "browser_storage_unavailable", delivered: "no" });
});

test("Finding R-2: while the journal cannot be read, the handshake names no epoch, so that what it lacks proves nothing", async () => {
  const store = new MemoryStore();
  await (await opened(store)).recordBegun(call());
  const journal = await opened(store, "w2");
  const recovery = new CallRecovery(journal, { sendResult: () => undefined, upload: async () => undefined, proveUnsent: async () => null });
  const { epoch } = journal;
  store.isBroken = true;
  assert.deepEqual([(await recovery.listCalls()).calls, journal.epoch], [[], ""]);
  store.isBroken = false;
  assert.deepEqual([(await recovery.listCalls()).calls, journal.epoch], [[{ call_id: "c1", state: "lost" }], epoch]);
});

test("Finding R-2: a handshake that cannot list all calls names no epoch", async () => {
  /** @param {number} count */
  const hello = (count) => {
    const calls = Array.from({ length: count }, (_, number) => ({ call_id: `c${number}`, state: "running" }));
    const parts = { url: "http://127.0.0.1:9", identity: { sessionToken: async () => "t", route: "" }, introduce: async () => ({ epoch: "e1", calls }), delegate: {} };
    const socket = /** @type {any} */ (new BridgeSocket(/** @type {any} */ (parts)).socket);
    return new Promise((resolve) => socket.auth((/** @type {any} */ auth) => resolve([auth.hello.calls.length, auth.hello.epoch])));
  };
  assert.deepEqual([await hello(1000), await hello(1001)], [[1000, "e1"], [1000, ""]]);
});
