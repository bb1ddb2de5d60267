// @ts-check
/** Who used what and when, for the user's eyes: no paths, no arguments, no secrets. */

/**
 * @typedef {object} Use
 * @property {number} at        milliseconds since the epoch
 * @property {string} bridge
 * @property {string} api
 * @property {string} method
 * @property {boolean} login
 * @property {string} ending    a status, a network error's name, or a refusal's code
 */
/** @typedef {import("./grants.js").Storage} Storage */

const KEPT_USES = 300;
/** Milliseconds between two writes, each of which takes as long as a call: a burst shall not wait for its own log. */
const WRITE_MS = 1000;

export class UseLog {
  /** @type {Use[]} */
  #uses = [];
  #isWriting = false;
  #isChanged = false;

  /** @param {Storage} storage @param {(ms: number) => Promise<unknown>} pause */
  constructor(storage, pause) {
    this.storage = storage;
    this.pause = pause;
  }

  async loadUses() {
    ({ uses: this.#uses = [] } = await this.storage.get(["uses"]));
  }

  /** Newest first. */
  get uses() {
    return [...this.#uses].reverse();
  }

  /** @param {Use} use */
  addUse(use) {
    this.#uses.push(use);
    this.#uses.splice(0, this.#uses.length - KEPT_USES);
    this.#isChanged = true;
    void this.#writeUses();
  }

  /** The first at once; what comes meanwhile is written together, long before a service worker is stopped for idleness. */
  async #writeUses() {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#isChanged) {
      this.#isChanged = false;
      await this.storage.set({ uses: this.#uses }).catch(() => undefined);
      await this.pause(WRITE_MS);
    }
    this.#isWriting = false;
  }
}
