// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { statusOf } from "../../static/status_view.js";

/** @param {Partial<import("../../static/types.js").ExecutorState>} state */
const status = (state) =>
  statusOf({ role: "executor", connection: "online", error: null, origins: [], running: 0, ...state });

test("connected says how many calls run", () => {
  assert.equal(status({}).label, "Connected");
  assert.equal(status({ running: 2 }).label, "Connected, 2 running");
});

test("a tab in waiting is standby whatever the executor's connection is", () => {
  assert.equal(status({ role: "standby" }).standing, "standby");
  assert.equal(status({ role: "standby", connection: "offline" }).standing, "standby");
});

test("a refusal gives the bridge's own reason", () => {
  assert.deepEqual(status({ connection: "refused", error: { code: "x", message: "Because." } }), {
    standing: "refused",
    label: "Refused",
    hint: "Because.",
  });
});

test("a page that just begins is connecting, one that lost the bridge is offline", () => {
  assert.equal(status({ role: "starting", connection: "connecting" }).standing, "connecting");
  assert.equal(status({ role: "starting", connection: "offline" }).standing, "connecting");
  assert.equal(status({ connection: "offline" }).standing, "offline");
  assert.equal(status({ connection: "connecting", error: { code: "unreachable", message: "Down." } }).hint, "Down.");
});
