// @ts-check
/**
 * Requests that this browser has begun and whose outcome the bridge has not confirmed: the memory that makes "at most once" true across reloads.
 *
 * An entry is written before a request that may change something leaves, gets its outcome before that is sent, and shrinks
 * to its id when the bridge has confirmed it. So a call that the journal lacks was never begun, and an outcome that it holds can be sent later. Each
 * worker holds a Web Lock for its life; an entry whose worker's lock is free belongs to the dead.
 */

import { ownName } from "../base/bridge_paths.js";
import { keysBelow } from "../base/browser_store.js";
import { CallFailure } from "./call_failure.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../types/types.d.ts").Upload} Upload */
/** @typedef {import("../types/types.d.ts").JournalEntry} JournalEntry */
/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {Pick<LockManager, "request" | "query">} Locks */

const STORE = "calls";
const EPOCH_KEY = ["epoch"];
/** How long, and how many, confirmed calls are remembered. */
const REMEMBERED_MS = 24 * 3600 * 1000;
const REMEMBERED_CALLS = 1000;
/** @param {string} callId */
const keyOf = (callId) => ["call", callId];

export class CallJournal {
  /** Calls that this worker has begun and the bridge has not confirmed. @type {Set<string>} */
  #begun = new Set();
  /** Calls of dead workers whose outcome is still to be sent. @type {Set<string>} */
  #left = new Set();
  #epoch;

  /**
   * @param {BrowserStore} store
   * @param {string} instance   this worker
   * @param {string} epoch
   * @param {{locks: Locks, prefix: string, now: () => number}} environment
   */
  constructor(store, instance, epoch, environment) {
    this.store = store;
    this.instance = instance;
    this.#epoch = epoch;
    /** The journal's own id; another one once the browser's data was cleared. "" : it cannot be stored, or not be read now. */
    this.epoch = epoch;
    this.environment = environment;
  }

  /**
   * Takes this worker's lock, for as long as the worker lives.
   * @param {BrowserStore} store
   * @param {string} userId
   * @param {string} instance
   * @param {Locks} [locks]
   * @param {() => number} [now] milliseconds since the epoch
   */
  static async openJournal(store, userId, instance, locks = navigator.locks, now = () => Date.now()) {
    const prefix = ownName(`tool-bridge-worker:${userId}:`);
    await new Promise((resolve) => {
      void locks.request(prefix + instance, () => {
        resolve(true);
        return new Promise(() => {}); // it is held as long as the worker lives
      });
    });
    return new CallJournal(store, instance, await epochOf(store), { locks, prefix, now });
  }

  /**
   * Settles when the entry is durable; only then may the request leave.
   * @param {ToolCall} call
   * @param {string} companion_epoch of the companion that is to send it; "": the page does
   * @throws {CallFailure} it was begun before, or the browser stores nothing
   */
  async recordBegun(call, companion_epoch = "") {
    const { call_id, result_token, key } = call;
    /** @type {JournalEntry} */
    const entry = {
      call_id,
      result_token,
      key,
      instance: this.instance,
      state: "begun",
      at: this.environment.now(),
      outcome: null,
      upload: null,
      companion_epoch,
    };
    try {
      await this.store.changeRecords([STORE], (of) => void of(STORE).add(entry, keyOf(call_id)));
      this.#begun.add(call_id);
    } catch (error) {
      await this.#checkEntry(call);
      throw new CallFailure(
        "browser_storage_unavailable",
        `${/** @type {Error} */ (error).message} Without it, no call that changes something is run.`,
      );
    }
  }

  /**
   * What came before may have been begun, by whatever worker of this browser: then nothing that is found out later proves that it was not sent.
   * @param {ToolCall} call
   * @throws {CallFailure} it was begun, or the journal cannot be read
   */
  async checkNotBegun(call) {
    if (call.attempt > 1) await this.#checkEntry(call);
  }

  /** @param {ToolCall} call a first attempt needs no journal that can be read: nobody else has the call @throws {CallFailure} */
  async #checkEntry({ call_id, attempt }) {
    const entry = await this.store.readRecord(STORE, keyOf(call_id)).catch((error) => {
      if (attempt > 1)
        throw new CallFailure(
          "browser_storage_unavailable",
          `${error.message} So it is not known whether this request was started before.`,
          { delivered: "unknown" },
        );
    });
    if (entry)
      throw new CallFailure("internal", "This request was already started; it is not sent twice.", {
        delivered: "unknown",
      });
  }

  /**
   * Best effort: an outcome that cannot be stored is still sent.
   * @param {ToolCall} call
   * @param {Outcome} outcome
   * @param {Upload | null} upload what has to reach the bridge before the outcome
   */
  async recordOutcome({ call_id, result_token, key }, outcome, upload) {
    /** @type {JournalEntry} */
    const entry = {
      call_id,
      result_token,
      key,
      instance: this.instance,
      state: "done",
      at: this.environment.now(),
      outcome,
      upload,
    };
    await this.store.changeRecords([STORE], (of) => void of(STORE).put(entry, keyOf(call_id))).catch(() => {});
  }

  /** How a call of a dead worker has ended is known now; it stays that worker's. Best effort. @param {JournalEntry} entry @param {Outcome} outcome @returns {Promise<JournalEntry>} */
  async settleEntry(entry, outcome) {
    /** @type {JournalEntry} */
    const settled = { ...entry, state: "done", outcome };
    await this.store.changeRecords([STORE], (of) => void of(STORE).put(settled, keyOf(entry.call_id))).catch(() => {});
    return settled;
  }

  /** Whether this worker has begun a request that may change something. @param {string} callId */
  hasBegun(callId) {
    return this.#begun.has(callId);
  }

  /** The bridge knows how these ended; that they were begun is remembered, so that none is begun again. @param {string[]} callIds */
  async forgetCalls(callIds) {
    const begun = callIds.filter((callId) => this.#begun.delete(callId) || this.#left.delete(callId));
    const entries = begun.map((call_id) => ({ call_id, state: "told", at: this.environment.now() }));
    await this.store
      .changeRecords([STORE], (of) => entries.forEach((entry) => void of(STORE).put(entry, keyOf(entry.call_id))))
      .catch(() => {});
  }

  /** What dead workers left, and which others live. While the journal cannot be read, it has no epoch: what it does not name may have been begun. @returns {Promise<{left: JournalEntry[], alive: string[]}>} */
  async inheritEntries() {
    const { locks, prefix } = this.environment;
    const { held = [] } = await locks.query();
    const alive = held.flatMap(({ name = "" }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    /** @type {JournalEntry[] | null} */
    const read = await this.store.readRecords(STORE, keysBelow(["call"])).catch(() => null);
    const entries = read ?? [];
    this.epoch = read ? this.#epoch : "";
    await this.#removeOld(entries.filter(({ state }) => state === "told"));
    const left = entries.filter(({ state, instance }) => state !== "told" && !alive.includes(instance));
    for (const { call_id } of left) this.#left.add(call_id);
    return { left, alive: alive.filter((instance) => instance !== this.instance) };
  }

  /** @param {JournalEntry[]} confirmed */
  async #removeOld(confirmed) {
    const newest = confirmed.sort((a, b) => b.at - a.at);
    const old = newest.filter(
      ({ at }, index) => index >= REMEMBERED_CALLS || at < this.environment.now() - REMEMBERED_MS,
    );
    const drop = (/** @type {(store: "calls") => IDBObjectStore} */ of) => {
      for (const { call_id } of old) of(STORE).delete(keyOf(call_id));
    };
    if (old.length > 0) await this.store.changeRecords([STORE], drop).catch(() => {});
  }
}

/** @param {BrowserStore} store @returns {Promise<string>} */
async function epochOf(store) {
  try {
    const known = await store.readRecord(STORE, EPOCH_KEY);
    if (known) return known;
    const epoch = crypto.randomUUID();
    await store.changeRecords([STORE], (of) => void of(STORE).put(epoch, EPOCH_KEY));
    return epoch;
  } catch {
    return "";
  }
}
