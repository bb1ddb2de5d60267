// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { API, BRIDGE, CALL, greetedPort, pairedBrowser, typesOf } from "./support/paired_browser.js";

/** What would refuse a call that was not sent, and is said as "never sent, and never will be". @type {[string, (browser: any) => unknown, Record<string, unknown>][]} */
const REFUSALS = [
  ["its grant was revoked", (browser) => browser.ask({ type: "revoke", bridge: BRIDGE, api: API }), {}],
  ["the browser took its permission back", (browser) => ((browser.allowed = [BRIDGE]), browser.chrome.permissions.onRemoved.fire()), {}],
  ["its body is announced as too large", () => undefined, { body: 2 ** 40 }],
  ["nothing more can be stored", (browser) => (browser.session.failure = new Error("quota")), {}],
];

for (const [why, strike, change] of REFUSALS)
  test(`Finding R-2: a call that was sent is a duplicate when it comes again, also if ${why}`, async () => {
    const browser = await pairedBrowser();
    const port = await greetedPort(browser);
    await port.say({ ...CALL, id: "1" });
    await strike(browser);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(typesOf(await port.say({ ...CALL, ...change, id: "1" })).at(-1), "duplicate");
    assert.equal(browser.fetched.length, 1);
  });
