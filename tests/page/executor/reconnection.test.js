// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { addRoute } from "../../../static/base/bridge_route.js";
import { Reconnection } from "../../../static/executor/reconnection.js";

/** A clock that a test moves on; chance always falls in the middle. */
function testClock() {
  /** @type {Map<number, {at: number, act: () => void}>} */
  const timers = new Map();
  const state = { time: 0, made: 0 };
  const clock = {
    now: () => state.time,
    random: () => 0.5,
    /** @param {() => void} act @param {number} milliseconds */
    start: (act, milliseconds) => {
      timers.set((state.made += 1), { at: state.time + milliseconds, act });
      return state.made;
    },
    stop: (/** @type {number} */ timer) => void timers.delete(timer),
  };
  /** @param {number} time */
  const moveTo = (time) => {
    for (;;) {
      const due = [...timers].filter(([, { at }]) => at <= time).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      timers.delete(due[0]);
      state.time = due[1].at;
      due[1].act();
    }
    state.time = time;
  };
  return { clock, moveTo };
}

/** A socket that nobody answers. */
function bench() {
  const { clock, moveTo } = testClock();
  /** @type {string[]} */
  const seen = [];
  const reconnection = new Reconnection(
    {
      connect: () => void seen.push(`connect ${clock.now()}`),
      giveUp: () => {
        seen.push(`give up ${clock.now()}`);
        reconnection.connectLater("lost");
      },
    },
    clock,
  );
  return { reconnection, moveTo, seen };
}

test("without beats a silent socket stays, and only a handshake without an answer ends", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  moveTo(20_000);
  reconnection.noteConnected();
  reconnection.noteWelcome(0);
  moveTo(600_000);
  assert.deepEqual(seen, ["connect 0"]);
  reconnection.connectLater("lost");
  moveTo(600_200);
  reconnection.noteConnected();
  moveTo(610_399);
  assert.deepEqual(seen, ["connect 0", "connect 600200"]);
  moveTo(610_400);
  assert.equal(seen.at(-1), "give up 610400");
});

test("a home that falls silent is left after three beats, and so is a replica that answers no try", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  moveTo(900);
  reconnection.noteMessage();
  moveTo(15_000);
  assert.deepEqual(seen, ["connect 0", "give up 4100", "connect 4700", "give up 7900", "connect 8500", "give up 14700"]);
});

test("after a handshake everything begins anew", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  moveTo(20_000);
  reconnection.noteWelcome(1);
  seen.length = 0;
  moveTo(24_000);
  assert.deepEqual(seen, ["give up 23200", "connect 23800"]);
});

test("a socket that is stopped neither tries again nor is given up", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  reconnection.connectLater("moved");
  reconnection.stop();
  moveTo(60_000);
  assert.deepEqual(seen, ["connect 0"]);
});

test("a refused socket goes where it is sent at once, and waits when it is sent there again", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.connectLater("redirected");
  moveTo(0);
  reconnection.connectLater("redirected");
  moveTo(1000);
  assert.deepEqual(seen, ["connect 0", "connect 0", "connect 400"]);
});

test("an address without a route is the one it always was", () => {
  assert.equal(addRoute("/executor/t.js", ""), "/executor/t.js");
  assert.equal(addRoute("/executor/t.js", "a-_b"), "/executor/t.js?route=a-_b");
});
