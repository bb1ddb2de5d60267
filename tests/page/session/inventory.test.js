// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Inventory } from "../../../static/session/inventory.js";

/** A bridge whose three lists are of the revisions named, one after the other; the last ones stay. @param {string[][]} loads */
function inventoryOf(loads) {
  let asked = 0;
  const now = () => loads[Math.min(asked, loads.length) - 1] ?? [];
  const api = {
    listServers: async () => ((asked += 1), { servers: [], revision: now()[0] }),
    listTools: async () => ({ tools: [], revision: now()[1] }),
    readSelection: async () => ({ revision: now()[2] }),
  };
  const pins = { listServers: async () => [] };
  return { inventory: new Inventory(/** @type {any} */ (api), /** @type {any} */ (pins)), loads: () => asked };
}

const ONE = ["r1", "r1", "r1"];
const TWO = ["r2", "r2", "r2"];

test("a connection that is of the lists' own revision loads nothing again", async () => {
  const { inventory, loads } = inventoryOf([ONE]);
  await inventory.loadInventory();
  await inventory.loadRevision("r1");
  assert.equal(loads(), 1);
});

test("what changed between the lists and the connection is loaded", async () => {
  const { inventory, loads } = inventoryOf([ONE, TWO]);
  await inventory.loadInventory();
  await inventory.loadRevision("r2");
  assert.deepEqual([loads(), inventory.revision], [2, "r2"]);
});

test("lists that are still on their way when the connection is there are not asked for twice", async () => {
  const { inventory, loads } = inventoryOf([ONE]);
  const loading = inventory.loadInventory();
  await Promise.all([inventory.loadRevision("r1"), loading]);
  assert.equal(loads(), 1);
});

test("lists between which something changed are of no revision", async () => {
  const { inventory, loads } = inventoryOf([["r1", "r2", "r2"], TWO]);
  await inventory.loadInventory();
  await inventory.loadRevision("r2");
  assert.deepEqual([loads(), inventory.revision], [2, "r2"]);
});
