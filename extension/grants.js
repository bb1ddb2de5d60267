// @ts-check
/**
 * What the user has decided: which bridges are connected, and which API each of them may call, how.
 *
 * Held in memory and written through; the service worker is the only writer, so every change takes effect with the
 * next message.
 */

/** @typedef {import("./protocol.js").Grant} Grant */
/** @typedef {Grant & {bridge: string, at: number}} StoredGrant `at`: milliseconds since the epoch */
/** @typedef {{get: (keys: string[]) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>}} Storage */

export class Grants {
  /** @type {Record<string, {at: number}>} */
  #bridges = {};
  /** @type {StoredGrant[]} */
  #grants = [];

  /** @param {Storage} storage @param {{now: () => number, changed: (bridge: string) => void}} environment `changed` is called after each change */
  constructor(storage, environment) {
    this.storage = storage;
    this.environment = environment;
  }

  async loadGrants() {
    ({ bridges: this.#bridges = {}, grants: this.#grants = [] } = await this.storage.get(["bridges", "grants"]));
  }

  /** Origins of connected bridges, oldest first. */
  get bridges() {
    return Object.keys(this.#bridges);
  }

  get all() {
    return [...this.#grants];
  }

  /** @param {string} bridge */
  isPaired(bridge) {
    return Object.hasOwn(this.#bridges, bridge);
  }

  /** @param {string} bridge @returns {Grant[]} */
  grantsOf(bridge) {
    const own = this.#grants.filter((grant) => grant.bridge === bridge);
    return own.map(({ api, login, methods }) => ({ api, login, methods }));
  }

  /** @param {string} bridge @param {string} api @returns {Grant | null} */
  findGrant(bridge, api) {
    return this.grantsOf(bridge).find((grant) => grant.api === api) ?? null;
  }

  /** @param {string} bridge */
  async addBridge(bridge) {
    this.#bridges = { ...this.#bridges, [bridge]: { at: this.environment.now() } };
    await this.#store(bridge);
  }

  /** Its grants go with it. @param {string} bridge */
  async removeBridge(bridge) {
    const { [bridge]: _, ...others } = this.#bridges;
    this.#bridges = others;
    this.#grants = this.#grants.filter((grant) => grant.bridge !== bridge);
    await this.#store(bridge);
  }

  /** Replaces what this bridge had for this API. @param {string} bridge @param {Grant} grant */
  async addGrant(bridge, { api, login, methods }) {
    const others = this.#grants.filter((grant) => grant.bridge !== bridge || grant.api !== api);
    this.#grants = [...others, { bridge, api, login, methods, at: this.environment.now() }];
    await this.#store(bridge);
  }

  /** @param {string} bridge @param {string} api */
  async removeGrant(bridge, api) {
    this.#grants = this.#grants.filter((grant) => grant.bridge !== bridge || grant.api !== api);
    await this.#store(bridge);
  }

  /** @param {string} origin @returns {boolean} whether any bridge or grant still needs access to it */
  needsAccess(origin) {
    return this.isPaired(origin) || this.#grants.some(({ api }) => api === origin);
  }

  /** @param {string} bridge whose grants have changed */
  async #store(bridge) {
    this.environment.changed(bridge);
    await this.storage.set({ bridges: this.#bridges, grants: this.#grants });
  }
}
