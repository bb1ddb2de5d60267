// @ts-check
/** A page that was open while the bridge was updated. */
import assert from "node:assert/strict";
import test from "node:test";
import { reloadOldPage } from "../../../static/ui/old_page.js";

const OWN = "http://bridge.test/static/aaaa/app.js";

/** @param {number | null} status of its own file at the bridge; null: the bridge does not answer */
function page(status) {
  /** @type {Map<string, string>} */
  const stored = new Map();
  const seen = { reloads: 0, stored };
  const fetch = async () => {
    if (status === null) throw new TypeError("away");
    return { status };
  };
  const sessionStorage = { getItem: (/** @type {string} */ key) => stored.get(key) ?? null, setItem: stored.set.bind(stored) };
  const location = { reload: () => (seen.reloads += 1) };
  return { seen, window: /** @type {any} */ ({ fetch, sessionStorage, location }) };
}

test("a page whose version is gone from the bridge reloads", async () => {
  const { seen, window } = page(404);
  assert.equal(await reloadOldPage(OWN, window), true);
  assert.equal(seen.reloads, 1);
});

test("it does so once for each version, lest it reloads for ever", async () => {
  const { seen, window } = page(404);
  await reloadOldPage(OWN, window);
  assert.equal(await reloadOldPage(OWN, window), false);
  assert.equal(await reloadOldPage(OWN.replace("aaaa", "bbbb"), window), true);
  assert.equal(seen.reloads, 2);
});

test("a page of the present version stays, and so does one whose bridge is away", async () => {
  for (const status of [200, 503, null]) {
    const { seen, window } = page(status);
    assert.equal(await reloadOldPage(OWN, window), false);
    assert.equal(seen.reloads, 0);
  }
});
