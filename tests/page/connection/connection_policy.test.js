// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPatience, retryDelay, Silence, silencePatience, tryPatience } from "../../../static/connection/connection_policy.js";

/** @param {Partial<import("../../../static/connection/connection_policy.js").Standing>} [change] */
const standing = (change) => ({ beatS: 1, failures: 0, unopened: 0, silences: 0, openMs: 0, redirects: 0, lostMs: 0, ...change });
const HALF = 0.5;

test("without beats the pauses double from 0.2 s to 5 s, whatever has been lost for however long", () => {
  const delays = [0, 1, 2, 5, 50].map((failures) => retryDelay("lost", standing({ beatS: 0, failures }), HALF));
  assert.deepEqual(delays, [200, 400, 800, 5000, 5000]);
  const spread = [0, 1].map((chance) => retryDelay("lost", standing({ beatS: 0 }), chance));
  assert.deepEqual(spread, [100, 300]);
});

test("with beats a page tries again within a second for 30 s, and then as everybody does", () => {
  const delays = [0, 1].map((chance) => retryDelay("lost", standing({ failures: 40, lostMs: 29_999 }), chance));
  assert.deepEqual(delays, [200, 1000]);
  assert.equal(retryDelay("lost", standing({ failures: 40, lostMs: 30_000 }), HALF), 5000);
});

test("a redirected socket connects at once, but only once", () => {
  assert.equal(retryDelay("redirected", standing({ beatS: 0 }), HALF), 0);
  assert.equal(retryDelay("redirected", standing({ beatS: 0, redirects: 1, failures: 1 }), HALF), 400);
  assert.equal(retryDelay("redirected", standing({ redirects: 1 }), 0), 200);
});

test("a page whose home has moved connects within 0.2 s", () => {
  assert.deepEqual([0, 1].map((chance) => retryDelay("moved", standing(), chance)), [0, 200]);
});

test("a silent try is given more time each time, so that a slow replica is reached in the end", () => {
  assert.deepEqual([0, 1, 2, 3, 9].map((silences) => tryPatience(standing({ silences }), false)), [3000, 6000, 12_000, 20_000, 20_000]);
  assert.deepEqual([0, 1, 2].map((silences) => tryPatience(standing({ silences }), true)), [6000, 12_000, 20_000]);
  assert.deepEqual([tryPatience(standing({ beatS: 0 }), true), silencePatience(0)], [Infinity, Infinity]);
});

test("a transport that does not open within 0.7 s is tried elsewhere, and given more time after four of them", () => {
  const patience = [0, 1, 4, 5, 6, 20].map((unopened) => openPatience(standing({ unopened })));
  assert.deepEqual(patience, [700, 700, 700, 1400, 2800, 20_000]);
  assert.equal(openPatience(standing({ beatS: 0 })), Infinity);
});

test("on a slow line a transport has three times as long to open as the last one took", () => {
  assert.deepEqual([200, 1500].map((openMs) => openPatience(standing({ openMs }))), [700, 4500]);
});

test("a silent try is followed by another within 0.2 s, until the first 30 s are over", () => {
  assert.deepEqual([0, 1].map((chance) => retryDelay("silent", standing(), chance)), [0, 200]);
  assert.equal(retryDelay("silent", standing({ failures: 40, lostMs: 30_000 }), HALF), 5000);
});

test("a socket is dropped after three silent beats and a second look", () => {
  const silence = new Silence(silencePatience(1), 0);
  silence.noteMessage(1000);
  assert.deepEqual([3000, 4000, 4200].map((now) => silence.look(now)), [1000, 200, 0]);
});

test("a message that waited for the worker as long as the timer did saves its socket", () => {
  const silence = new Silence(3000, 0);
  assert.equal(silence.look(3900), 200);
  silence.noteMessage(3901);
  assert.equal(silence.look(4100), 2801);
});

test("a worker that stood still listens anew for three beats before it drops anything", () => {
  const silence = new Silence(3000, 0);
  assert.equal(silence.look(60_000), 3000);
  assert.deepEqual([63_000, 63_200].map((now) => silence.look(now)), [200, 0]);
  const frozenLater = new Silence(3000, 0);
  assert.deepEqual([3000, 5000, 8000, 8200].map((now) => frozenLater.look(now)), [200, 3000, 200, 0]);
});

test("an announced silence is borne once, and never shortens the patience", () => {
  const silence = new Silence(3000, 0);
  silence.noteMessage(1000);
  silence.extendPatience(8000);
  assert.deepEqual([3000, 8999].map((now) => silence.look(now)), [6000, 1]);
  silence.noteMessage(9000);
  silence.extendPatience(0);
  assert.deepEqual([9000, 12_000].map((now) => silence.look(now)), [3000, 200]);
});
