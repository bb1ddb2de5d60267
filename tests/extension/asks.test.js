// @ts-check
/** How often a bridge may ask its user for something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Asks } from "../../extension/asks.js";
import { FakeStorage } from "./support/fake_chrome.js";

const ASK = { type: /** @type {const} */ ("ask"), id: "q", api: "https://new.example", login: false, methods: /** @type {const} */ ("safe") };

/** Tabs of a browser, its clock, and a bridge's page that hears answers. */
function scene() {
  /** @type {any} */
  const state = { now: 1_000_000_000, opened: [], granted: null, hasAccess: false, storage: new FakeStorage() };
  const port = (/** @type {string} */ bridge) => ({ bridge, heard: /** @type {any[]} */ ([]), post(/** @type {any} */ message) { this.heard.push(message); } });
  const tabs = { create: async (/** @type {any} */ tab) => (state.opened.push(tab.url), { id: state.opened.length }), remove: async () => undefined };
  const grants = { bridges: ["https://b.example"], isPaired: () => true, findGrant: () => state.granted, addGrant: async () => undefined };
  const environment = { tabs, storage: state.storage, getUrl: (/** @type {string} */ path) => path, grants, hasAccess: async () => state.hasAccess, randomId: () => `k${state.opened.length}`, now: () => state.now };
  const asks = () => new Asks(/** @type {any} */ (environment));
  return { state, asks, page: /** @type {any} */ (port("https://b.example")), other: /** @type {any} */ (port("https://c.example")) };
}

test("Finding S-L5: a bridge whose question was not allowed waits before the next, each time longer, else its tabs wear the user down.", async () => {
  const { state, asks: make, page, other } = scene();
  const asks = make();
  for (const seconds of [10, 20, 40]) {
    await asks.openAsk(page, ASK);
    await asks.tabClosed(state.opened.length);
    await asks.openAsk(page, ASK);
    assert.deepEqual([page.heard.at(-1).code, page.heard.at(-1).message], ["asking", `The last question of this bridge was not allowed. Ask again in ${seconds} s.`]);
    state.now += seconds * 1000;
  }
  assert.equal(state.opened.length, 3);
  await asks.openAsk(other, ASK);
  assert.equal(state.opened.length, 4, "another bridge need not wait");
  for (let refusals = 0; refusals < 9; refusals += 1) {
    await asks.openAsk(page, ASK);
    await asks.tabClosed(state.opened.length);
    state.now += 600_000;
  }
  assert.equal(state.opened.length, 13, "ten minutes are the longest wait");
});

test("Finding S-L5: the wait outlives the service worker, and is over for a bridge whose question was allowed.", async () => {
  const { state, asks: make, page } = scene();
  const first = make();
  await first.openAsk(page, ASK);
  await first.tabClosed(1);
  const next = make();
  await next.loadQuestions();
  await next.openAsk(page, ASK);
  assert.equal(page.heard.at(-1).code, "asking");
  state.now += 10_000;
  await next.openAsk(page, ASK);
  state.hasAccess = true;
  await next.decideQuestion("k1", { login: false, methods: "safe" });
  await next.openAsk(page, ASK);
  await next.tabClosed(3);
  await next.openAsk(page, ASK);
  assert.match(page.heard.at(-1).message, /in 10 s/);
});

test("Finding S-L5: questions that are asked at the same time open one tab, also while the browser is asked for its permission.", async () => {
  const { state, asks: make, page } = scene();
  const asks = make();
  state.granted = { api: ASK.api, login: false, methods: "safe" };
  await Promise.all(["a", "b", "c"].map((id) => asks.openAsk(page, { ...ASK, id })));
  assert.equal(state.opened.length, 1);
  assert.deepEqual(page.heard.map((/** @type {any} */ { id, code }) => [id, code]), [["b", "asking"], ["c", "asking"]]);
});
