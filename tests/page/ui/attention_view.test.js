// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { needsOf } from "../../../static/ui/attention_view.js";

/** @param {object} [facts] @returns {any} */
const server = (facts = {}) => ({ id: "pets", title: "Pets", operations: 4, accepted: 4, changed: 0, decided: true, ...facts });

/** @param {Partial<Parameters<typeof needsOf>[0]>} [facts] */
const needs = (facts = {}) =>
  needsOf({ servers: [server()], missingPins: () => 0, breakers: 0, isNobodyConnected: false, ...facts }).map(({ words, address }) => [words, address]);

test("a page with nothing to do says nothing", () => {
  assert.deepEqual(needs(), []);
  assert.deepEqual(needs({ servers: [server({ operations: 0, accepted: 0, decided: false })] }), []);
});

test("what waits is said with its number, and leads to the one that waits or to the list", () => {
  const fresh = { accepted: 0, decided: false };
  assert.deepEqual(needs({ servers: [server(fresh)] }), [["1 server waits for your decision", "#/servers/pets/review"]]);
  assert.deepEqual(needs({ servers: [server(fresh), server({ ...fresh, id: "shop" })] }), [["2 servers wait for your decision", "#/servers"]]);
  assert.deepEqual(needs({ servers: [server({ changed: 3 })] }), [["3 operations have changed and are paused", "#/servers/pets/review"]]);
  assert.deepEqual(needs({ missingPins: () => 2 }), [["1 server is accepted on another browser only", "#/servers/pets"]]);
});

test("that no call can run comes first", () => {
  const all = needs({ isNobodyConnected: true, breakers: 2, servers: [server({ changed: 1 })] });
  assert.deepEqual(
    all.map(([, address]) => address),
    ["#/devices", "#/settings", "#/servers/pets/review"],
  );
});

test("what its user has declined does not wait", () => {
  assert.deepEqual(needs({ servers: [server({ accepted: 0, decided: true })] }), []);
});
