// @ts-check
/**
 * The page's real `CallJournal` for `make faults`, which is Python: one request a line on stdin, one answer a line on stdout.
 *
 * A request is [method, browser, worker, …arguments]. Stores and locks are in memory and settle without the event loop,
 * so each request is answered before the next is read, at the moment of the virtual clock at which it was made.
 */
import { readSync, writeSync } from "node:fs";
import { CallJournal } from "../../../static/executor/call_journal.js";
import { MemoryLocks, MemoryStore } from "./memory_store.js";

/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */
/** @typedef {{store: MemoryStore, locks: MemoryLocks, journals: Map<string, CallJournal>}} Browser */

/** @type {Map<string, Browser>} */
const browsers = new Map();
let now = 0;

/** @param {string} name */
function browserOf(name) {
  const known = browsers.get(name) ?? { store: new MemoryStore(), locks: new MemoryLocks(), journals: new Map() };
  browsers.set(name, known);
  return known;
}

/** @param {string} browser @param {string} worker */
const journalOf = (browser, worker) => /** @type {CallJournal} */ (browserOf(browser).journals.get(worker));
/** @param {string} call_id @param {string} result_token @param {number} [attempt] */
const callOf = (call_id, result_token, attempt = 1) => /** @type {any} */ ({ call_id, result_token, attempt, key: "POST /t" });
const failureOf = (/** @type {any} */ { code, delivered }) => ({ code, delivered });

/** @type {Record<string, (browser: string, worker: string, ...rest: any[]) => unknown>} */
const METHODS = {
  removeAll: () => browsers.clear(),
  async openJournal(browser, worker) {
    const { store, locks, journals } = browserOf(browser);
    const journal = await CallJournal.openJournal(/** @type {any} */ (store), "u", worker, /** @type {any} */ (locks), () => now);
    journals.set(worker, journal);
    return journal.epoch;
  },
  recordBegun(browser, worker, callId, token, attempt) {
    return journalOf(browser, worker).recordBegun(callOf(callId, token, attempt)).then(() => null, failureOf);
  },
  checkNotBegun(browser, worker, callId, attempt) {
    return journalOf(browser, worker).checkNotBegun(callOf(callId, "", attempt)).then(() => null, failureOf);
  },
  recordOutcome(browser, worker, callId, token, outcome, isUploaded) {
    const upload = isUploaded ? { content: callId, content_type: "text/plain" } : null;
    return journalOf(browser, worker).recordOutcome(callOf(callId, token), outcome, upload);
  },
  hasBegun: (browser, worker, callId) => journalOf(browser, worker).hasBegun(callId),
  forgetCalls: (browser, worker, callIds) => journalOf(browser, worker).forgetCalls(callIds),
  async inheritEntries(browser, worker) {
    const journal = journalOf(browser, worker);
    return { ...(await journal.inheritEntries()), epoch: journal.epoch };
  },
  freeLock: (browser, worker) => browserOf(browser).locks.held.delete(`tool-bridge-worker:u:${worker}`),
  fillStore: (browser, _worker, isFull) => void (browserOf(browser).store.isFull = isFull),
  clearStore(browser) {
    browserOf(browser).store.isBroken = true; // Workers that run keep the deleted one.
    browserOf(browser).store = new MemoryStore();
  },
};

/** Lines of stdin, read without the event loop. */
function* readLines() {
  const chunk = Buffer.alloc(65536);
  let text = "";
  for (let size = readSync(0, chunk); size > 0; size = readSync(0, chunk)) {
    const lines = (text + chunk.toString("latin1", 0, size)).split("\n");
    text = /** @type {string} */ (lines.pop());
    yield* lines;
  }
}

for (const line of readLines()) {
  const [at, method, browser, worker, ...rest] = JSON.parse(line);
  now = at;
  writeSync(1, `${JSON.stringify((await METHODS[method](browser, worker, ...rest)) ?? null)}\n`);
}
