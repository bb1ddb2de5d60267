// @ts-check
/** The companion ends, is replaced, switched off or loses its grant, at every message of a call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { companionBench, settle, answerOf } from "../support/companion.js";
import { call, GET_THINGS, never, POST_THINGS } from "../support/runner_bench.js";

/** @typedef {import("../support/companion.js").FakeCompanion} FakeCompanion */
/** @typedef {import("../support/companion.js").Running} Running */

/** What happens to it; it is told of the call that runs. @type {Record<string, (companion: FakeCompanion, running: Running) => void>} */
const FAULTS = {
  killed: (companion) => companion.end(),
  updated: (companion) => {
    companion.epoch = "e2";
    companion.ledger.clear();
    companion.end();
  },
  disabled: (companion) => {
    companion.end();
    companion.isThere = false;
  },
  silent: (companion) => {
    companion.isThere = false;
  },
  revoked: (companion, { call: { id }, say }) => {
    companion.grants = [];
    say({ type: "changed", grants: [] });
    if (companion.ledger.has(id)) say({ type: "failed", id, net_error: "cancelled", delivered: "unknown", message: "The grant was taken back." });
    else say({ type: "refused", id, code: "not_granted", message: "Not granted." });
  },
};

/** Messages of a whole call, in the order in which the companion says them. */
const STEPS = ["sent", "head", "chunk", "end"];

/** @param {keyof typeof FAULTS} fault @param {number} step before which it happens @param {boolean} isSafe */
async function play(fault, step, isSafe) {
  const { runner, companion, seen } = companionBench(isSafe ? GET_THINGS : POST_THINGS);
  companion.handleCall = (running) => {
    const { id } = running.call;
    if (step > 0) companion.sendCall(running);
    for (const message of answerOf(id, {}, ['{"ok":true}']).slice(0, Math.max(0, step - 1))) running.say(message);
    queueMicrotask(() => FAULTS[fault](companion, running));
  };
  const ended = runner.runCall(call({ params: isSafe ? "{}" : '{"body": {}}' }), never);
  for (let round = 0; round < 8; round += 1) await (settle(), companion.timers.pass(20_000));
  const outcome = await ended;
  return { outcome, companion, journal: seen.journal };
}

const CASES = Object.keys(FAULTS).flatMap((fault) => STEPS.map((name, step) => ({ fault, name, step })));

for (const { fault, name, step } of CASES)
  test(`a call whose companion is ${fault} before its ${name} has a true ending, and is not sent again`, async () => {
    for (const isSafe of [true, false]) {
      const { outcome, companion, journal } = await play(fault, step, isSafe);
      assert.equal(outcome.status, "failed");
      if (outcome.status !== "failed") return;
      assert.equal(companion.heardOf("call").length, 1, "nobody resends");
      assert.ok(companion.performed.length <= 1);
      if (outcome.delivered === "no") assert.deepEqual(companion.performed, [], "what is said not to be sent was not");
      if (!isSafe) assert.deepEqual(journal, ["begun c1", "failed c1"], "it was written down before it was handed over");
      assert.equal(outcome.error.detail.transport, "companion");
    }
  });

test("what a living companion says was never sent was not performed, and may be tried again", async () => {
  const { outcome } = await play("killed", 0, false);
  assert.ok(outcome.status === "failed");
  assert.deepEqual([outcome.error.code, outcome.delivered, outcome.error.retryable], ["companion_missing", "no", true]);
});

test("the word of another life of the companion proves nothing", async () => {
  for (const fault of ["updated", "disabled"]) {
    const { outcome, companion } = await play(fault, 0, false);
    assert.ok(outcome.status === "failed");
    assert.deepEqual([outcome.error.code, outcome.delivered, outcome.error.retryable], ["companion_missing", "unknown", false]);
    assert.ok(companion.heardOf("did").length <= 1);
  }
});

test("a reading call that was lost may be tried again by whoever asked for it", async () => {
  const { outcome } = await play("updated", 1, true);
  assert.ok(outcome.status === "failed");
  assert.deepEqual([outcome.error.code, outcome.delivered, outcome.error.retryable], ["companion_missing", "unknown", true]);
});

test("a companion that falls silent is given up after two pings", async () => {
  const { outcome, companion } = await play("silent", 1, false);
  assert.ok(outcome.status === "failed");
  assert.equal(outcome.error.code, "companion_missing");
  assert.equal(companion.port.isClosed, true);
});

test("an answer that breaks off is no whole answer", async () => {
  const { outcome } = await play("killed", 3, true);
  assert.ok(outcome.status === "failed");
  assert.deepEqual([outcome.error.code, outcome.delivered], ["network", "unknown"]);
});
