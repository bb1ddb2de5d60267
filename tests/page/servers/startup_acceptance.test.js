// @ts-check
/** The page accepts documents of the command line in a few round trips, however many there are. */
import assert from "node:assert/strict";
import test from "node:test";
import { StartupAcceptance } from "../../../static/servers/startup_acceptance.js";

const SERVERS = ["shop", "library", "printer"].map((id) => ({ id, accept_on_open: true, operations: 1, decided: false, accepted: 0, changed: 0 }));

test("documents are asked for at once, not one after the other", async () => {
  /** @type {string[]} */
  const asked = [];
  const allAsked = Promise.withResolvers();
  /** @type {any} */
  const parts = {
    inventory: { servers: SERVERS, pinned: new Map(), loadInventory: async () => undefined },
    api: {
      readServer: (/** @type {string} */ id) => {
        asked.push(id);
        if (asked.length === SERVERS.length) allAsked.resolve({ id, base_url: "", tools: [] });
        return allAsked.promise;
      },
      readPlans: async () => ({ operations: {} }),
      acceptOperations: async () => undefined,
    },
    pins: { removeServer: async () => undefined },
    executor: { refreshOrigins: async () => undefined },
  };
  await new StartupAcceptance(parts, /** @type {any} */ (null)).acceptServers();
  assert.deepEqual(asked, ["shop", "library", "printer"]);
});
