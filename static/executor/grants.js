// @ts-check
/** What was granted by a click in this browser. The bridge keeps its own copy; a call runs unasked only if both agree. */

import { keysBelow } from "../base/browser_store.js";

/** @typedef {import("../types/types.d.ts").PageGrant} PageGrant */
/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */

const STORE = "grants";
/** @param {{server_id: string, key: string, scope: string, chat_id: string | null}} grant */
const keyOf = ({ server_id, key, scope, chat_id }) => [server_id, key, scope, chat_id ?? ""];

export class PageGrants {
  /** @param {BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /**
   * Those of one operation, some of them perhaps over. What cannot be read is not granted.
   * @param {string} serverId
   * @param {string} key
   * @returns {Promise<PageGrant[]>}
   */
  of(serverId, key) {
    return this.store.all(STORE, keysBelow([serverId, key])).catch(() => []);
  }

  /** Best effort: what is not kept is asked about again. @param {PageGrant} grant */
  async add(grant) {
    await this.store.change([STORE], (of) => void of(STORE).put(grant, keyOf(grant))).catch(() => {});
  }

  /** @param {{server_id: string, key: string, scope: string, chat_id: string | null}} grant */
  async remove(grant) {
    await this.store.change([STORE], (of) => void of(STORE).delete(keyOf(grant)));
  }

  async removeAll() {
    await this.store.change([STORE], (of) => void of(STORE).clear());
  }
}
