// @ts-check
/** The page's way to its own relay: nobody else is handed the port, and nobody else is taken for it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { onRelayHere, openRelayPort } from "../../../static/companion/relay_port.js";
import { WINDOW_CONNECT, WINDOW_HERE } from "../../../static/companion/protocol.js";

const ORIGIN = "https://bridge.example";
/** @type {any} */
const scope = globalThis;
/** @type {any[]} */
let posted = [];
/** @type {Set<(event: any) => void>} */
let listeners = new Set();

beforeEach(() => {
  [posted, listeners] = [[], new Set()];
  scope.location = { origin: ORIGIN };
  scope.window = {
    postMessage: (/** @type {any[]} */ ...said) => posted.push(said),
    addEventListener: (/** @type {string} */ _type, /** @type {any} */ listener) => listeners.add(listener),
    removeEventListener: (/** @type {string} */ _type, /** @type {any} */ listener) => listeners.delete(listener),
  };
});

afterEach(() => {
  for (const [, , ports] of posted) for (const port of ports) port.close();
  delete scope.window;
  delete scope.location;
});

/** @param {object} change */
const hear = (change) => [...listeners].forEach((listener) => listener({ source: scope.window, origin: ORIGIN, data: { type: WINDOW_HERE }, ...change }));

test("the port goes to the page's own window and origin, never to any", () => {
  const port = openRelayPort();
  port.close();
  const [[message, target, ports]] = posted;
  assert.deepEqual([message, target, ports.length], [{ type: WINDOW_CONNECT }, ORIGIN, 1]);
});

test("a frame, another window or another origin that says it is the relay is not believed", () => {
  let times = 0;
  const stop = onRelayHere(() => void (times += 1));
  for (const foreign of [{ source: {} }, { source: null }, { origin: "https://evil.example" }, { origin: `${ORIGIN}:8443` }, { data: null }, { data: { type: WINDOW_CONNECT } }]) hear(foreign);
  assert.equal(times, 0);
  hear({});
  assert.equal(times, 1);
  stop();
  hear({});
  assert.equal(times, 1);
});
