// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { addRoute } from "../../../static/base/bridge_route.js";
import { Reconnection } from "../../../static/connection/reconnection.js";

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
      connect: (isLed) => void seen.push(`connect ${isLed ? "" : "anywhere "}${clock.now()}`),
      giveUp: (cause) => {
        seen.push(`${cause} ${clock.now()}`);
        reconnection.connectLater(cause);
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
  assert.equal(seen.at(-1), "silent 610400");
});

test("a home that falls silent is left after three beats; a replica that opens no transport is left within a second", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  moveTo(900);
  reconnection.noteMessage();
  moveTo(6800);
  const tries = ["connect anywhere 4700", "silent 5600", "connect anywhere 5700", "silent 6600", "connect anywhere 6700"];
  assert.deepEqual(seen, ["connect 0", "lost 4100", ...tries]);
});

test("a replica that opens the transport has six beats to find the home, and longer the next time", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  reconnection.connectLater("lost");
  for (const opened of [610, 7000]) {
    moveTo(opened);
    reconnection.noteOpened();
  }
  moveTo(20_000);
  assert.deepEqual(seen.slice(1, 4), ["connect anywhere 600", "silent 6810", "connect anywhere 6910"]);
  assert.equal(seen[4], "silent 19200");
});

test("a try that is led waits at another replica for its home to be found, and the next one goes anywhere", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  reconnection.connectLater("redirected");
  moveTo(3400);
  assert.deepEqual(seen, ["connect 0", "connect 0", "silent 3200", "connect anywhere 3300"]);
});

test("after a handshake everything begins anew", () => {
  const { reconnection, moveTo, seen } = bench();
  reconnection.connectNow();
  reconnection.noteWelcome(1);
  moveTo(20_000);
  reconnection.noteWelcome(1);
  seen.length = 0;
  moveTo(24_000);
  assert.deepEqual(seen, ["lost 23200", "connect anywhere 23800"]);
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
