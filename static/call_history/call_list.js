// @ts-check
/**
 * All calls as one list, newest first: those of this browser as they happen, those that the bridge stores, read page by
 * page, and refused ones. A call that comes from two sides is one line, and keeps its place. Pure.
 */
import { MAX_CALLS } from "../executor/call_log.js";
import { matchesFilter } from "./call_filter.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {import("../types/api_types.js").StoredCallPage} StoredCallPage */
/** @typedef {import("../types/api_types.js").RefusedCall} RefusedCall */
/**
 * @typedef {{id: string, at: number, live: CallEntry | null, stored: StoredCall | null, refused: RefusedCall | null}} ListedCall
 *   `at`: in ms since 1970. One that changes is another object.
 */

export class CallList {
  /** @type {Map<string, ListedCall>} */
  #calls = new Map();
  /** Ids of the calls of this browser, oldest first. @type {Set<string>} */
  #live = new Set();

  /** Down to here the stored calls are known, in ms since 1970; of older calls others may stand between them. */
  knownSince = Number.NEGATIVE_INFINITY;

  /** @param {CallEntry} entry newer news about a call replaces older news */
  putLive(entry) {
    this.#put(entry.call_id, entry.started_at, { live: entry });
    this.#live.add(entry.call_id);
    if (this.#live.size > MAX_CALLS) this.#dropLive(/** @type {string} */ (this.#live.values().next().value));
  }

  /** The next page of what is stored. @param {StoredCallPage} page */
  putPage({ calls, next }) {
    for (const call of calls) this.putStored(call);
    this.knownSince = next === null ? Number.NEGATIVE_INFINITY : 1000 * next;
  }

  /**
   * The newest page once more: what it has, others may have made meanwhile.
   * @param {StoredCallPage} page
   * @returns {boolean} whether it follows on what is known; false: what lies between is not known, and the old is dropped
   */
  putNewest({ calls, next }) {
    const follows =
      next === null || 1000 * next <= this.knownSince || calls.some(({ call_id }) => this.#isStored(call_id));
    if (!follows) {
      this.forgetStored();
      this.knownSince = 1000 * next;
    }
    for (const call of calls) this.putStored(call);
    return follows;
  }

  /** @param {StoredCall} call */
  putStored(call) {
    this.#put(call.call_id, 1000 * call.opened_at, { stored: call });
  }

  /** Replaces those there are. @param {RefusedCall[]} calls */
  putRefused(calls) {
    for (const [id, { refused }] of this.#calls) if (refused) this.#calls.delete(id);
    for (const call of calls) this.#put(call.id, 1000 * call.at, { refused: call });
  }

  /** For a list that is read anew; what this browser has done stays. */
  forgetStored() {
    for (const [id, call] of this.#calls) {
      if (call.live) this.#calls.set(id, { ...call, stored: null });
      else if (call.stored) this.#calls.delete(id);
    }
    this.knownSince = Number.NEGATIVE_INFINITY;
  }

  /** @param {string} id */
  findCall(id) {
    return this.#calls.get(id) ?? null;
  }

  /** @param {import("./call_filter.js").CallFilter} filter @param {number} now in ms @returns {ListedCall[]} newest first */
  listCalls(filter, now) {
    return [...this.#calls.values()]
      .filter((call) => call.at >= this.knownSince && !isQueuedElsewhere(call) && matchesFilter(call, filter, now))
      .sort((one, other) => other.at - one.at || (one.id < other.id ? -1 : 1));
  }

  /** Who asked for the calls that are known. @returns {string[]} */
  listAskers() {
    const askers = [...this.#calls.values()].map(({ live, stored, refused }) => (live ?? stored ?? refused)?.asked_by);
    return [...new Set(askers)].filter((asker) => typeof asker === "string" && asker !== "").map(String);
  }

  /** @param {string} id */
  #isStored(id) {
    return this.#calls.get(id)?.stored != null;
  }

  /** @param {string} id @param {number} at @param {Partial<ListedCall>} news */
  #put(id, at, news) {
    const known = this.#calls.get(id) ?? { id, at, live: null, stored: null, refused: null };
    this.#calls.set(id, { ...known, ...news });
  }

  /** The page remembers no more of them; the bridge may. @param {string} id */
  #dropLive(id) {
    this.#live.delete(id);
    const call = this.#calls.get(id);
    if (call?.stored) this.#calls.set(id, { ...call, live: null });
    else this.#calls.delete(id);
  }
}

/** It has a list of its own, until a browser has it. @param {ListedCall} call */
const isQueuedElsewhere = ({ live, stored }) => live === null && stored?.state === "queued";
