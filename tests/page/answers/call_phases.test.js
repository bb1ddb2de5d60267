// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { phasesOf } from "../../../static/answers/call_phases.js";

/** @param {Partial<import("../../../static/types/types.js").CallEntry>} entry @param {number | null} asked_at */
const told = (entry, asked_at = null) =>
  phasesOf({ response: null, ...entry }, asked_at).map(({ label, ms }) => `${label} ${ms}`);

test("the wait for other calls, for the user and for the API are told apart", () => {
  const moments = { waiting: 1010, queued: 1510, running: 1540, answered: 1600 };
  assert.deepEqual(told({ moments, phases_ms: [2, 30, 4] }, 1000), [
    "Queue 40",
    "Wait for approval 500",
    "Preparation 2",
    "Server, with preflight and connection 30",
    "Download 4",
  ]);
});

test("what is too short to be seen is left out, but for server and download; what did not happen is not made up", () => {
  assert.deepEqual(told({ moments: { running: 5, failed: 9 }, phases_ms: [0.1, 0.2, 0.1] }), ["Server, with preflight and connection 0.2", "Download 0.1"]);
  assert.deepEqual(told({ moments: { waiting: 5, failed: 95 }, phases_ms: undefined }), ["Wait for approval 90"]);
});

test("a preflight is told apart where the API lets pages see it, and only there", () => {
  /** @type {any} */
  const response = { timing: { fetchStart: 100, requestStart: 157, responseStart: 260, responseEnd: 262 } };
  assert.deepEqual(told({ moments: {}, phases_ms: [1, 170, 2], response }), ["Preparation 1", "Preflight and connection 57", "Server 103", "Download 2"]);
});
