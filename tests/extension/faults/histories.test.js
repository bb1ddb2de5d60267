// @ts-check
/** The companion is killed, updated, switched off, revoked, held up and lost at every message, and nothing is said that is not true. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACTIONS, describePlan, makePlan, MESSAGES, plainPlan, aCall, aFault } from "./plan.js";
import { everySingleFault, everyWay } from "./single_faults.js";
import { play } from "./world.js";

/** One history of so many is played at each change, all of them by `make test-all`; coprime to the 27 faults of a message, so that each is played. */
const SHARE = process.env.TEST_WIDE ? 1 : 14;
const HISTORIES = Math.ceil(2000 / SHARE);
const SINGLE_FAULTS = 10_000;

/** @param {import("./world.js").History} history */
const storyOf = ({ plan, world, broken }) => [...describePlan(plan), ...world.trace, ...broken].join("\n");

test("every message of the protocol is met by the ways that a call can take", async () => {
  const met = new Set();
  for await (const { travelled } of everyWay()) for (const kind of travelled.keys()) met.add(kind);
  assert.deepEqual([...met].sort(), [...MESSAGES].sort());
});

test("no single fault at any message makes a call happen twice, end untruly, or arrive without a grant", async () => {
  let histories = 0;
  const struck = new Set();
  for await (const plan of everySingleFault()) {
    histories += 1;
    if (histories % SHARE) continue;
    const history = await play(plan);
    assert.deepEqual(history.broken, [], storyOf(history));
    history.world.struck.forEach((action) => struck.add(action));
  }
  assert.ok(histories > SINGLE_FAULTS, String(histories));
  assert.deepEqual([...struck].sort(), [...ACTIONS].sort());
});

test("nor do two faults by chance", async () => {
  const met = { answered: 0, failed: 0, struck: 0 };
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    const history = await play(makePlan(seed));
    assert.deepEqual(history.broken, [], `make faults ARGS="--companion --seed ${seed}"\n${storyOf(history)}`);
    for (const { outcome } of history.world.endings) met[outcome?.status ?? "failed"] += 1;
    met.struck += history.world.struck.length;
  }
  assert.ok(Math.min(met.answered, met.failed, met.struck) > HISTORIES / 5, JSON.stringify(met));
});

test("a history without faults ends as its API says", async () => {
  const words = async (/** @type {Partial<import("./plan.js").CallPlan>} */ change) => {
    const [{ outcome }] = (await play(plainPlan([aCall(change)]))).world.endings;
    return outcome?.status === "failed" ? `${outcome.error.code} ${outcome.delivered}` : outcome?.status;
  };
  assert.equal(await words({}), "answered");
  assert.equal(await words({ api: "slow" }), "answered");
  assert.equal(await words({ size: 300_000 }), "answered");
  assert.equal(await words({ api: "redirects" }), "redirect_refused unknown");
  assert.equal(await words({ api: "redirects", safe: true }), "answered");
  assert.equal(await words({ api: "resets" }), "network unknown");
  assert.equal(await words({ api: "refused" }), "network no");
  assert.equal(await words({ target: "foreign" }), "companion_refused no");
});

test("the same seed is the same history", async () => {
  const [one, other] = [await play(makePlan(7)), await play(makePlan(7))];
  assert.ok(one.world.trace.length > 10);
  assert.deepEqual(one.world.trace, other.world.trace);
});

test("a call whose service worker was killed before it wrote anything is known not to be sent", async () => {
  const { world } = await play(plainPlan([aCall()], [aFault("killed", "call", { when: "after" })]));
  const [{ outcome }] = world.endings;
  assert.ok(outcome?.status === "failed");
  assert.deepEqual([outcome.error.code, outcome.delivered, world.network.ledger], ["companion_missing", "no", []]);
});
