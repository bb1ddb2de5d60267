// @ts-check
/** What was granted by a click in this browser. The bridge stores its own copy; a call runs without asking only if both agree. */

import { keysBelow } from "../base/browser_store.js";

/** @typedef {import("../types/types.d.ts").PageGrant} PageGrant */
/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */

const STORE = "grants";
/** @typedef {Pick<PageGrant, "server_id" | "key" | "scope" | "chat_id" | "caller_id">} GrantPlace */

/** Where a grant is stored. @param {GrantPlace} grant */
export const grantKey = ({ server_id, key, scope, chat_id, caller_id }) => [
  server_id,
  key,
  scope,
  chat_id ?? "",
  ...(scope === "chat" ? [caller_id] : []),
];

export class PageGrants {
  /** @param {BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /**
   * Grants of one operation, some of them perhaps expired. Grants that cannot be read count as none.
   * @param {string} serverId
   * @param {string} key
   * @returns {Promise<PageGrant[]>}
   */
  grantsOf(serverId, key) {
    return this.store.readRecords(STORE, keysBelow([serverId, key])).catch(() => []);
  }

  /** Best effort: a grant that cannot be stored is asked for again. @param {PageGrant} grant */
  async addGrant(grant) {
    await this.store.changeRecords([STORE], (of) => void of(STORE).put(grant, grantKey(grant))).catch(() => {});
  }

  /** @param {GrantPlace} grant */
  async removeGrant(grant) {
    await this.store.changeRecords([STORE], (of) => void of(STORE).delete(grantKey(grant)));
  }

  async removeGrants() {
    await this.store.changeRecords([STORE], (of) => void of(STORE).clear());
  }
}
