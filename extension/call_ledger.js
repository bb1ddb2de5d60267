// @ts-check
/**
 * Which requests that may change something were sent: what makes "at most once" true through the death of the service worker.
 *
 * An entry is durable before its fetch begins, and lives as long as the browser's session, or until the extension is
 * reloaded; the epoch goes with it. An id is decided in memory at once and only once, so that a `call` and a `did` of
 * the same id cannot both win.
 */

/** @typedef {{get: (keys: null) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>, remove: (keys: string[]) => Promise<void>}} SessionStorage */
/** @typedef {{state: "sent" | "void", at: number}} Entry */

const PREFIX = "call ";
/** Entries older than this are dropped once there are `MOST_ENTRIES`; the storage itself holds 10 MB. */
const KEPT_MS = 3_600_000;
const MOST_ENTRIES = 10_000;

/** @param {string} bridge @param {string} id */
const keyOf = (bridge, id) => `${PREFIX}${bridge} ${id}`;

export class CallLedger {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #epoch = "";
  #limit = MOST_ENTRIES;

  /** @param {SessionStorage} storage @param {{now: () => number, randomId: () => string}} environment */
  constructor(storage, environment) {
    this.storage = storage;
    this.environment = environment;
  }

  /** Another one once this ledger may have forgotten what was sent. */
  get epoch() {
    return this.#epoch;
  }

  /** @returns {Promise<boolean>} whether the browser, or the extension, has begun anew */
  async loadEntries() {
    const { epoch, ...items } = await this.storage.get(null);
    this.#entries = new Map(Object.entries(items).filter(([key]) => key.startsWith(PREFIX)));
    if (epoch) this.#epoch = epoch;
    else await this.#beginEpoch();
    return !epoch;
  }

  /**
   * Settles when it is durable; only then may the request leave. One that only reads is held in memory, and waits for nothing.
   * @param {string} bridge @param {string} id @param {boolean} isSafe @returns {Promise<boolean>} false: it was sent or voided before
   * @throws whatever the storage does; the id cannot be used any more
   */
  async recordSent(bridge, id, isSafe) {
    const key = keyOf(bridge, id);
    if (this.#entries.has(key)) return false;
    await this.#write(key, "sent", isSafe);
    return true;
  }

  /** @param {string} bridge @param {string} id */
  wasSent = (bridge, id) => this.#entries.get(keyOf(bridge, id))?.state === "sent";

  /** After "never" the request is not performed, now or later. @param {string} bridge @param {string} id @returns {Promise<"sent" | "never">} */
  async voidUnlessSent(bridge, id) {
    const key = keyOf(bridge, id);
    if (this.wasSent(bridge, id)) return "sent";
    if (!this.#entries.has(key)) await this.#write(key, "void", false);
    return "never";
  }

  /** @param {string} key @param {Entry["state"]} state @param {boolean} isSafe */
  async #write(key, state, isSafe) {
    const entry = { state, at: this.environment.now() };
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#limit) await this.#forgetOld();
    if (!isSafe) await this.storage.set({ [key]: entry });
  }

  async #forgetOld() {
    const oldest = this.environment.now() - KEPT_MS;
    const old = [...this.#entries].filter(([, { at }]) => at < oldest).map(([key]) => key);
    this.#limit = MOST_ENTRIES + this.#entries.size - old.length;
    if (old.length === 0) return;
    await this.#beginEpoch();
    for (const key of old) this.#entries.delete(key);
    await this.storage.remove(old);
  }

  async #beginEpoch() {
    this.#epoch = this.environment.randomId();
    await this.storage.set({ epoch: this.#epoch });
  }
}
