// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Devices } from "../../../static/session/devices.js";
import { runnerSentence, statusOf } from "../../../static/ui/status_view.js";

/** @param {Partial<import("../../../static/types/types.js").ExecutorState>} state */
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

/** @param {object} facts @returns {any} */
const device = (facts) => ({ id: "d", name: "Laptop", this: false, connected: true, visible: true, active: false, ...facts });

/** @param {any[]} list @param {Record<string, string>} [choices] */
function known(list, choices = {}) {
  const devices = new Devices(/** @type {any} */ ({}), /** @type {any} */ ({}));
  return Object.assign(devices, { list, choices });
}

/** @param {any[]} list @param {Partial<import("../../../static/types/types.js").ExecutorState>} [state] */
const sentence = (list, state) =>
  runnerSentence({ role: "executor", connection: "online", error: null, origins: [], running: 0, ...state }, known(list));

test("who runs calls is said from where one stands", () => {
  const own = device({ this: true, active: true });
  assert.equal(sentence([own]), "This tab runs calls.");
  assert.equal(sentence([own], { role: "standby" }), "Another tab of this browser runs calls.");
  assert.equal(sentence([device({ this: true, id: "own" }), device({ name: "Phone", active: true })]), "Phone runs calls.");
  assert.match(sentence([device({ this: true, connected: false })]), /^No device is connected/);
});

test("a server's chosen device runs it while it is connected, else the active one", () => {
  const [desk, phone] = [device({ id: "desk" }), device({ id: "phone", active: true })];
  assert.equal(known([desk, phone], { shop: "desk" }).runnerOf("shop"), desk);
  assert.equal(known([desk, phone], { shop: "desk" }).runnerOf("other"), phone);
  const away = { ...desk, connected: false };
  assert.equal(known([away, phone], { shop: "desk" }).runnerOf("shop"), phone);
  assert.equal(known([phone], { shop: "gone" }).runnerOf("shop"), phone);
});
