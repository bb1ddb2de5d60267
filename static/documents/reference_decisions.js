// @ts-check
/** What this browser remembers of a server's document: when it was fetched, and what was decided about those it refers to. */

/** @typedef {import("../types/reference_types.js").Decisions} Decisions */

const FETCHED = "fetched";

export class ReferenceDecisions {
  /** @param {import("../base/browser_store.js").BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {string} serverId @returns {Promise<Decisions>} */
  async decisionsOf(serverId) {
    return (await this.store.readRecord("references", serverId)) ?? { origins: {}, without: {} };
  }

  /** @param {string} serverId @param {Decisions} decisions */
  async saveDecisions(serverId, decisions) {
    await this.store.changeRecords(["references"], (of) => void of("references").put(decisions, serverId));
  }

  /** @param {string} serverId */
  async removeDecisions(serverId) {
    await this.store.changeRecords(["references"], (of) => {
      of("references").delete(serverId);
      of("references").delete([FETCHED, serverId]);
    });
  }

  /** @param {string} serverId @returns {Promise<number>} milliseconds since 1970; 0: never */
  async readFetchTime(serverId) {
    return (await this.store.readRecord("references", [FETCHED, serverId])) ?? 0;
  }

  /** @param {string} serverId @param {number} time milliseconds since 1970 */
  async saveFetchTime(serverId, time) {
    await this.store.changeRecords(["references"], (of) => void of("references").put(time, [FETCHED, serverId]));
  }
}
