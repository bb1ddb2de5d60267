// @ts-check
/** What this browser remembers, per server, about the documents that its document refers to. */

/** @typedef {import("../types/reference_types.js").Decisions} Decisions */

export class ReferenceDecisions {
  /** @param {import("../base/browser_store.js").BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {string} serverId @returns {Promise<Decisions>} */
  async of(serverId) {
    return (await this.store.get("references", serverId)) ?? { origins: {}, without: {} };
  }

  /** @param {string} serverId @param {Decisions} decisions */
  async keep(serverId, decisions) {
    await this.store.change(["references"], (of) => void of("references").put(decisions, serverId));
  }

  /** @param {string} serverId */
  async remove(serverId) {
    await this.store.change(["references"], (of) => void of("references").delete(serverId));
  }
}
