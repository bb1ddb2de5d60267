// @ts-check
/** What all bridges share in the companion: one of them, connected and granted nothing, takes nothing of it from another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallLedger } from "../../extension/call_ledger.js";
import { CallRate } from "../../extension/call_rate.js";
import { readMessage } from "../../extension/messages.js";
import { BURST_CALLS, CALLS_PER_SECOND } from "../../extension/protocol.js";
import { shownUses, UseLog } from "../../extension/use_log.js";
import { FakeStorage } from "./support/fake_chrome.js";
import { API, BRIDGE, CALL, greetedPort, pairedBrowser, typesOf } from "./support/paired_browser.js";

/** Connected, and granted nothing. */
const OTHER = "https://other.example";
const QUOTA = 10_485_760;

/** The browser's session storage, which is full at ten megabytes. */
class FullStorage extends FakeStorage {
  bytes = 0;

  /** @override @param {Record<string, unknown>} items */
  async set(items) {
    for (const [key, value] of Object.entries(items)) if (!(key in this.items)) this.bytes += key.length + JSON.stringify(value).length;
    if (this.bytes > QUOTA) throw new Error("Session storage quota bytes exceeded");
    await super.set(items);
  }
}

const environment = (time = { now: 0 }) => {
  let ids = 0;
  return { now: () => time.now, randomId: () => `epoch-${++ids}` };
};

/** @param {CallLedger} ledger @param {number} count @param {string} bridge @returns {Promise<string[]>} what was answered */
async function askMany(ledger, count, bridge) {
  const answers = [];
  for (let number = 0; number < count; number += 1) answers.push(await ledger.voidUnlessSent(bridge, "x".repeat(80) + number).catch((error) => error.name));
  return answers;
}

async function twoBridges() {
  const browser = await pairedBrowser();
  browser.local.items.bridges[OTHER] = { at: 2 };
  await browser.startWorker();
  const [port, other] = [await greetedPort(browser), browser.connectPage(OTHER)];
  await other.say({ type: "hello", protocols: [1] });
  return { browser, port, other };
}

test("Finding S-M6: a bridge that asks for 60,000 invented ids fills its own share of the storage, and another one's changing call is written down", async () => {
  const ledger = new CallLedger(new FullStorage(), environment());
  await ledger.loadEntries();
  const answers = await askMany(ledger, 60_000, OTHER);
  assert.equal(answers.at(-1), "LedgerFull");
  assert.equal(await ledger.recordSent(BRIDGE, "1", false), true);
});

test("Finding S-M6: an id that found no room is not said to be unsent for ever, also after the service worker's death", async () => {
  const storage = new FullStorage();
  const full = new CallLedger(storage, environment());
  await full.loadEntries();
  const answers = await askMany(full, 20_000, OTHER);
  const next = new CallLedger(storage, environment());
  await next.loadEntries();
  const last = answers.lastIndexOf("never");
  assert.equal(await next.recordSent(OTHER, "x".repeat(80) + last, false), false, "what was voided stays so");
  await assert.rejects(next.recordSent(OTHER, "y".repeat(90), false), { name: "LedgerFull" });
  assert.equal(next.wasSent(OTHER, "y".repeat(90)), false);
});

test("Finding S-M6: a full bridge has room again an hour later, by an epoch of its own that leaves the others' alone", async () => {
  const time = { now: 0 };
  const ledger = new CallLedger(new FullStorage(), environment(time));
  await ledger.loadEntries();
  const [before, others] = [ledger.epochOf(OTHER), ledger.epochOf(BRIDGE)];
  await askMany(ledger, 20_000, OTHER);
  time.now = 3_600_001;
  await ledger.voidUnlessSent(OTHER, "a").catch(() => undefined);
  assert.equal(await ledger.voidUnlessSent(OTHER, "b"), "never");
  assert.notEqual(ledger.epochOf(OTHER), before);
  assert.equal(ledger.epochOf(BRIDGE), others);
});

test("Finding S-M6: a page that asks beyond its rate is told so, and the other bridge's call goes on", async () => {
  const { browser, port, other } = await twoBridges();
  for (let number = 0; number < BURST_CALLS + CALLS_PER_SECOND + 500; number += 1) await other.say({ type: "did", id: `x${number}` });
  assert.equal(other.heard.at(-1).code, "busy");
  assert.deepEqual(typesOf(await port.say({ ...CALL, id: "1" })), ["ready", "sent", "head", "chunk", "end"]);
  assert.ok(Object.keys(browser.session.items).length < BURST_CALLS + 2 * CALLS_PER_SECOND);
});

test("Finding S-M6: what a page says of a call that runs is not counted, so that the call can end", async () => {
  const { port } = await twoBridges();
  const running = port.say({ ...CALL, id: "1", body: 10 });
  for (let number = 0; number < BURST_CALLS * 2; number += 1) await port.say({ type: "ping" });
  await port.say({ type: "cancel", id: "1" });
  await running;
  assert.equal(port.heard.findLast(({ type }) => type === "refused")?.code, "cancelled");
});

test("Finding S-M6: every message takes from the bridge's rate, and the rate comes back with time", () => {
  let now = 0;
  const rate = new CallRate(() => now);
  for (let count = 0; count < BURST_CALLS; count += 1) assert.ok(rate.takeMessage());
  assert.ok(!rate.takeMessage());
  assert.ok(rate.beginCall(0), "calls have a rate of their own");
  now += 1000 / CALLS_PER_SECOND;
  assert.ok(rate.takeMessage());
});

test("Finding S-M6: a storage that takes nothing more answers a question for an id, so that its page need not wait", async () => {
  const { browser, port } = await twoBridges();
  browser.session.failure = new Error("quota");
  assert.equal((await port.say({ type: "did", id: "1" })).at(-1).code, "storage");
});

test("Finding S-M6: a bridge washes only its own lines out of the log of uses, and a host's name in it is short", async () => {
  const log = new UseLog(new FakeStorage(), () => new Promise(() => undefined));
  const use = { api: API, method: "POST", login: false, ending: "200" };
  for (let at = 0; at < 20; at += 1) log.addUse({ ...use, at, bridge: BRIDGE });
  for (let at = 20; at < 1000; at += 1) log.addUse({ ...use, at, bridge: OTHER, api: `https://${"a".repeat(70_000)}` });
  assert.equal(log.uses.length, 300);
  assert.equal(log.uses.filter(({ bridge }) => bridge === BRIDGE).length, 20);
  assert.equal(log.uses[0].at, 999);
  assert.deepEqual([OTHER, BRIDGE].map((bridge) => shownUses(log.uses).filter((use) => use.bridge === bridge).length), [30, 20]);
  assert.ok(JSON.stringify(log.uses).length < 300_000);
});

test("Finding S-M6: a question names an API by an origin of at most 300 characters, so that questions fill no storage", () => {
  const ask = { type: "ask", id: "1", login: false, methods: "safe" };
  assert.ok("fault" in readMessage({ ...ask, api: `https://${"a".repeat(5_000_000)}` }));
  assert.ok("message" in readMessage({ ...ask, api: `https://${"a.".repeat(120)}example:8443` }));
});

test("Finding S-M6: a bridge without a grant leaves no contact, which would make another one's failures unproven", async () => {
  const { browser, other } = await twoBridges();
  for (let number = 0; number < 20; number += 1) await other.say({ ...CALL, id: `${number}`, url: `http://h${number}.example/` });
  assert.deepEqual(browser.local.items.contacts ?? [], []);
});
