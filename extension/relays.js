// @ts-check
/** Where the relay runs: in pages of connected bridges and nowhere else. */

import { patternOf } from "./host_access.js";

const FILE = "relay.js";
/** @param {string} bridge */
const idOf = (bridge) => `relay ${bridge}`;

export class Relays {
  /**
   * @param {Pick<typeof chrome.scripting, "getRegisteredContentScripts" | "registerContentScripts" | "unregisterContentScripts" | "executeScript">} scripting
   * @param {Pick<typeof chrome.tabs, "query">} tabs
   */
  constructor(scripting, tabs) {
    this.scripting = scripting;
    this.tabs = tabs;
  }

  /** Registrations are lost when the extension is reloaded or updated. @param {string[]} bridges */
  async registerRelays(bridges) {
    const registered = (await this.scripting.getRegisteredContentScripts()).map(({ id }) => id);
    const wanted = bridges.map(idOf);
    const stale = registered.filter((id) => !wanted.includes(id));
    if (stale.length > 0) await this.scripting.unregisterContentScripts({ ids: stale });
    const scripts = bridges.filter((bridge) => !registered.includes(idOf(bridge))).map(scriptOf);
    if (scripts.length > 0) await this.scripting.registerContentScripts(scripts);
  }

  /** Into pages that were open before; a page that has a live relay keeps it. @param {string[]} bridges */
  async injectRelays(bridges) {
    for (const bridge of bridges)
      for (const { id } of await this.tabs.query({ url: patternOf(bridge) }))
        if (id !== undefined)
          await this.scripting.executeScript({ target: { tabId: id }, files: [FILE] }).catch(() => undefined);
  }
}

/** @param {string} bridge @returns {chrome.scripting.RegisteredContentScript} */
function scriptOf(bridge) {
  return { id: idOf(bridge), matches: [patternOf(bridge)], js: [FILE], runAt: "document_start", allFrames: false };
}
