// @ts-check
/** Reads what the bridge stores of calls into the list: page by page, and what is new from time to time. */
import { historyQuery } from "./call_filter.js";

/** @typedef {import("./call_filter.js").CallFilter} CallFilter */
/** @typedef {Pick<import("../session/controls_api.js").ControlsApi, "searchCalls" | "listRefused">} Api */

export class CallReader {
  /** Of the last reading that counts; answers of older ones come too late. */
  #reading = 0;
  /** Where to read on, as the bridge said; null: at the end. @type {number | null} */
  #next = null;
  /** @type {URLSearchParams | null} */
  #query = null;
  #isBusy = false;

  /** @param {Api} api @param {import("./call_list.js").CallList} list @param {() => void} changed */
  constructor(api, list, changed) {
    this.api = api;
    this.list = list;
    this.changed = changed;
    /** Why the last reading failed. @type {unknown} */
    this.failure = null;
    /** Whether the newest calls have been read, or could not be. */
    this.isRead = false;
    /** Refused calls of the last 30 days, with those that are only counted. */
    this.refusedTotal = 0;
    this.refusedListed = 0;
  }

  /** Whether there are older ones to read. */
  get hasMore() {
    return this.#next !== null;
  }

  /** The newest of a filter; forgets what was read before. @param {CallFilter} filter */
  async readNewest(filter) {
    const reading = (this.#reading += 1);
    this.#query = historyQuery(filter, Date.now());
    this.#isBusy = true;
    const [page, refused] = await settled([this.#askPage(), this.api.listRefused()]);
    if (reading !== this.#reading) return;
    this.#isBusy = false;
    this.failure = page.failure ?? refused.failure;
    this.isRead = true;
    if (page.value) {
      this.list.forgetStored();
      this.list.putPage(page.value);
      this.#next = page.value.next;
    }
    this.#takeRefused(refused.value);
    this.changed();
  }

  /** Older ones, unless they are being read. */
  async readMore() {
    if (this.#isBusy || this.#next === null) return;
    const reading = this.#reading;
    this.#isBusy = true;
    const [page] = await settled([this.#askPage(this.#next)]);
    if (reading !== this.#reading) return;
    this.#isBusy = false;
    this.failure = page.failure;
    if (page.value) {
      this.list.putPage(page.value);
      this.#next = page.value.next;
    }
    this.changed();
  }

  /** What others have done meanwhile. A bridge that does not answer is tried the next time. */
  async refresh() {
    if (this.#isBusy || !this.isRead) return;
    const reading = this.#reading;
    const [page, refused] = await settled([this.#askPage(), this.api.listRefused()]);
    if (reading !== this.#reading) return;
    if (page.value && this.#query?.has("open")) this.list.forgetStored(); // those that are missing have ended
    if (page.value && (this.failure || !this.list.putNewest(page.value))) {
      this.list.putPage(page.value);
      this.#next = page.value.next;
    }
    if (page.value) this.failure = null;
    this.#takeRefused(refused.value);
    this.changed();
  }

  /** Reads nothing more. */
  stop() {
    this.#reading += 1;
    this.#isBusy = false;
  }

  /** @param {number} [before] */
  async #askPage(before) {
    if (this.#query === null) return { calls: [], next: null };
    const query = new URLSearchParams(this.#query);
    if (before !== undefined) query.set("before", String(before));
    return this.api.searchCalls(query);
  }

  /** @param {import("../types/api_types.js").RefusedCallList | undefined} refused */
  #takeRefused(refused) {
    if (!refused) return;
    this.list.putRefused(refused.calls);
    this.refusedTotal = refused.total;
    this.refusedListed = refused.calls.length;
  }
}

/**
 * @template {unknown[]} T
 * @param {{[K in keyof T]: Promise<T[K]>}} promises
 * @returns {Promise<{[K in keyof T]: {value?: T[K], failure: unknown}}>}
 */
async function settled(promises) {
  const ends = await Promise.allSettled(promises);
  return /** @type {any} */ (
    ends.map((end) => (end.status === "fulfilled" ? { value: end.value, failure: null } : { failure: end.reason }))
  );
}
