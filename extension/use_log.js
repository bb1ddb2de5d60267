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

export class UseLog {
  /** @type {Use[]} */
  #uses = [];
  #isWriting = false;
  #isChanged = false;

  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
  }

  async loadUses() {
    const { uses = [] } = await this.storage.get(["uses"]);
    this.#uses = uses;
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

  /** One write at a time takes along what has come meanwhile. */
  async #writeUses() {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#isChanged) {
      this.#isChanged = false;
      await this.storage.set({ uses: this.#uses }).catch(() => undefined);
    }
    this.#isWriting = false;
  }
}
