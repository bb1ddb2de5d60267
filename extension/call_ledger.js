// @ts-check
/**
 * Which requests that may change something were sent: what makes "at most once" true through the death of the service worker.
 *
 * An entry is durable before its fetch begins, and lives as long as the browser's session, or until the extension is
 * reloaded; the epoch goes with it. An id is decided in memory at once and only once, so that a `call` and a `did` of
 * the same id cannot both win. All bridges share the browser's storage: each fills a share of its own, and no other's.
 */

import { refusal } from "./fence.js";

/** @typedef {{get: (keys: null) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>, remove: (keys: string[]) => Promise<void>}} SessionStorage */
/** `isSafe`: in memory alone. @typedef {{state: "sent" | "void", at: number, isSafe: boolean}} Entry */

const PREFIX = "call ";
/** Entries of a bridge that are older than this are dropped once it has `MOST_ENTRIES`. */
const KEPT_MS = 3_600_000;
const MOST_ENTRIES = 10_000;
/** Between two looks of a full share for old ones, each of which goes through all. */
const LOOK_MS = 60_000;
/** Of what is stored for one bridge; the browser's session storage holds 10 MB in all. */
const SHARE_BYTES = 2_097_152;
/** Of an entry as JSON, without its key. */
const ENTRY_BYTES = 60;
/** The epoch of bridges of which nothing was forgotten. */
const COMMON = "";

/** Its bridge has as many calls within an hour as may be stored; the id is neither sent nor voided. */
class LedgerFull extends Error {
  /** @override */
  name = "LedgerFull";
}

/** @param {unknown} error of a write to the ledger */
export const refusalOf = (error) =>
  error instanceof LedgerFull
    ? refusal("busy", error.message)
    : refusal("storage", `The browser could not write down what becomes of the call: ${error}`);

/** @param {string} bridge @param {string} id */
const keyOf = (bridge, id) => `${PREFIX}${bridge} ${id}`;
/** @param {string} key */
const bridgeOf = (key) => key.split(" ")[1];

/** What one bridge has. */
class Share {
  /** Of what is stored. */
  bytes = 0;
  /** Those in memory alone included. */
  entries = 0;
  /** Entries beyond which old ones are looked for. */
  limit = MOST_ENTRIES;
  /** When a full one looks for old ones again. */
  nextLook = 0;
}

export class CallLedger {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** @type {Map<string, Share>} */
  #shares = new Map();
  /** By bridge, or `COMMON`. @type {Record<string, string>} */
  #epochs = {};

  /** @param {SessionStorage} storage @param {{now: () => number, randomId: () => string}} environment */
  constructor(storage, environment) {
    this.storage = storage;
    this.environment = environment;
  }

  /** Another one once this ledger may have forgotten what this bridge sent. @param {string} bridge */
  epochOf = (bridge) => this.#epochs[Object.hasOwn(this.#epochs, bridge) ? bridge : COMMON];

  /** @returns {Promise<boolean>} whether the browser, or the extension, has begun anew */
  async loadEntries() {
    const { epochs, ...items } = await this.storage.get(null);
    this.#entries = new Map(Object.entries(items).filter(([key]) => key.startsWith(PREFIX)));
    this.#shares.clear();
    for (const key of this.#entries.keys()) this.#count(key, 1, false);
    this.#epochs = epochs ?? {};
    if (!epochs) await this.#beginEpoch(COMMON);
    return !epochs;
  }

  /**
   * Settles when it is durable; only then may the request leave. One that only reads is held in memory, and waits for nothing.
   * @param {string} bridge @param {string} id @param {boolean} isSafe @returns {Promise<boolean>} false: it was sent or voided before
   * @throws {Error} `refusalOf` says what it means: the id was not sent, and cannot be used any more unless its bridge's share is full
   */
  async recordSent(bridge, id, isSafe) {
    const key = keyOf(bridge, id);
    if (this.#entries.has(key)) return false;
    await this.#write(key, "sent", isSafe);
    return true;
  }

  /** @param {string} bridge @param {string} id */
  wasSent = (bridge, id) => this.#entries.get(keyOf(bridge, id))?.state === "sent";

  /** After "never" the request is not performed, now or later. @param {string} bridge @param {string} id @returns {Promise<"sent" | "never">} @throws {Error} nobody knows: see `refusalOf` */
  async voidUnlessSent(bridge, id) {
    const key = keyOf(bridge, id);
    if (this.wasSent(bridge, id)) return "sent";
    if (!this.#entries.has(key)) await this.#write(key, "void", false);
    return "never";
  }

  /** @param {string} key @param {Entry["state"]} state @param {boolean} isSafe */
  async #write(key, state, isSafe) {
    const entry = { state, at: this.environment.now(), isSafe };
    const share = this.#shareOf(key);
    const isFull = !isSafe && share.bytes + key.length + ENTRY_BYTES > SHARE_BYTES;
    if (!isFull) {
      this.#entries.set(key, entry);
      this.#count(key, 1, isSafe);
    }
    if (share.entries > share.limit || (isFull && entry.at >= share.nextLook)) await this.#forgetOld(bridgeOf(key));
    if (isFull)
      throw new LedgerFull("This bridge has had more calls within an hour than the companion can keep in mind.");
    if (!isSafe) await this.storage.set({ [key]: entry });
  }

  /** @param {string} bridge */
  async #forgetOld(bridge) {
    const oldest = this.environment.now() - KEPT_MS;
    const old = [...this.#entries].filter(([key, { at }]) => at < oldest && bridgeOf(key) === bridge);
    const share = this.#shareOf(keyOf(bridge, ""));
    share.limit = MOST_ENTRIES + share.entries - old.length;
    share.nextLook = this.environment.now() + LOOK_MS;
    if (old.length === 0) return;
    await this.#beginEpoch(bridge);
    const forgotten = old.filter(([key]) => this.#entries.delete(key));
    for (const [key, { isSafe }] of forgotten) this.#count(key, -1, isSafe);
    await this.storage.remove(forgotten.map(([key]) => key));
  }

  /** @param {string} key @returns {Share} its bridge's */
  #shareOf(key) {
    const bridge = bridgeOf(key);
    return /** @type {Share} */ (this.#shares.set(bridge, this.#shares.get(bridge) ?? new Share()).get(bridge));
  }

  /** @param {string} key @param {1 | -1} change @param {boolean} isSafe */
  #count(key, change, isSafe) {
    const share = this.#shareOf(key);
    share.entries += change;
    if (!isSafe) share.bytes += change * (key.length + ENTRY_BYTES);
  }

  /** @param {string} bridge */
  async #beginEpoch(bridge) {
    this.#epochs = { ...this.#epochs, [bridge]: this.environment.randomId() };
    await this.storage.set({ epochs: this.#epochs });
  }
}
