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
/** Characters of an API's origin: whoever is granted nothing may name what he likes. */
const API_CHARS = 300;
/** Of each bridge, in the popup. */
const SHOWN_USES = 30;
/** Milliseconds between two writes, each of which takes as long as a call: a burst shall not wait for its own log. */
const WRITE_MS = 1000;

/** @param {Use[]} uses newest first */
export const shownUses = (uses) =>
  Object.values(Object.groupBy(uses, ({ bridge }) => bridge))
    .flatMap((own = []) => own.slice(0, SHOWN_USES))
    .sort((one, other) => other.at - one.at);

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
    this.#uses.push({ ...use, api: use.api.slice(0, API_CHARS) });
    if (this.#uses.length > KEPT_USES) this.#dropUse();
    this.#isChanged = true;
    void this.#writeUses();
  }

  /** The oldest of the bridge that has most, so that none washes another's away. */
  #dropUse() {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { bridge } of this.#uses) counts.set(bridge, (counts.get(bridge) ?? 0) + 1);
    const most = Math.max(...counts.values());
    this.#uses.splice(
      this.#uses.findIndex(({ bridge }) => counts.get(bridge) === most),
      1,
    );
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
