// @ts-check
/**
 * Which APIs may have an open connection. A browser that loses a kept one sends the request again over a new one; if
 * that is refused, "connection refused" is all it says, though the server has read the request. So such a name proves
 * something only where no connection can have been kept. Connections outlive an update of the extension, and tabs share
 * none of theirs with it (measured, Chromium 156), so what is noted here ends with the browser.
 */

/** @typedef {{get: (keys: string[]) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>}} Storage */

/** Requests of https share one before the first is answered, also with hosts of the same certificate, which nobody tells us. @param {string} origin */
const groupOf = (origin) => (origin.startsWith("https:") ? `https:${new URL(origin).port}` : origin);

export class Contacts {
  /** @type {Set<string>} */
  #groups = new Set();
  /** Of each group. @type {Map<string, number>} */
  #running = new Map();

  /** @param {Storage} storage that outlives an update */
  constructor(storage) {
    this.storage = storage;
  }

  async loadContacts() {
    this.#groups = new Set((await this.storage.get(["contacts"])).contacts);
  }

  /** Settles when it is written down: who dies before the end leaves a contact. @param {string} origin */
  async beginFetch(origin) {
    await this.#count(groupOf(origin), 1);
  }

  /** A connection was made, or may have been. @param {string} origin */
  noteContact(origin) {
    this.#groups.add(groupOf(origin));
  }

  /** Whether a fetch that runs has had no connection but its own. @param {string} origin */
  isAlone(origin) {
    const group = groupOf(origin);
    return !this.#groups.has(group) && (group === origin || this.#running.get(group) === 1);
  }

  /** @param {string} origin */
  endFetch(origin) {
    void this.#count(groupOf(origin), -1);
  }

  /** The browser has begun anew, with no connection. */
  async forgetContacts() {
    this.#groups.clear();
    await this.#store();
  }

  /** @param {string} group @param {number} change */
  async #count(group, change) {
    const running = (this.#running.get(group) ?? 0) + change;
    this.#running.set(group, running);
    if (!this.#groups.has(group) && running === Math.max(0, change)) await this.#store();
  }

  async #store() {
    const running = [...this.#running].filter(([, count]) => count > 0).map(([group]) => group);
    await this.storage.set({ contacts: [...new Set([...this.#groups, ...running])] }).catch(() => undefined);
  }
}
