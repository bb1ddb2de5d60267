// @ts-check
/** What the bridge knows for this user: servers and tools, as last loaded. State as data, no DOM. */
import { choiceOf } from "./selection.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/api_types.js").Selection} Selection */
/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */

export class Inventory {
  /** @param {import("./bridge_api.js").BridgeApi} api @param {import("../executor/pins.js").Pins} pins */
  constructor(api, pins) {
    this.api = api;
    this.pins = pins;
    /** @type {Server[]} */
    this.servers = [];
    /** @type {Tool[]} */
    this.tools = [];
    /** Which tools models are shown; null until it is loaded. @type {Selection | null} */
    this.selection = null;
    /** Operations pinned in this browser, by server: key to digest. @type {Map<string, Record<string, string>>} */
    this.pinned = new Map();
    this.isLoaded = false;
    /** Of all that is loaded; "": not of one. */
    this.revision = "";
    /** @type {Set<() => void>} */
    this.callbacks = new Set();
    /** @type {Promise<void> | null} */
    this.loading = null;
    this.isStale = false;
    /** The last change of the selection. @type {Promise<unknown>} */
    this.selecting = Promise.resolve();
  }

  /**
   * Loads everything again. A load asked for during a load follows it, so the last word is always heard.
   * @returns {Promise<void>}
   */
  async loadInventory() {
    this.isStale = true;
    this.loading ??= this.#loadUntilFresh().finally(() => (this.loading = null));
    return this.loading;
  }

  /**
   * Loads everything again unless it is of that revision, when what is being loaded just now is there.
   * @param {string} revision
   */
  async loadRevision(revision) {
    await this.loading?.catch(() => undefined);
    if (this.revision !== revision) await this.loadInventory();
  }

  /** @param {() => void} callback called after every load @returns {() => void} ends the subscription */
  onChange(callback) {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  /**
   * Changes which tools models are shown. One change follows another, so that none undoes the one before.
   * @param {(choice: SelectionChoice) => SelectionChoice} edit
   * @returns {Promise<Selection>} as it is now
   */
  async changeSelection(edit) {
    const saved = this.selecting.then(async () => {
      const now = this.selection ?? (await this.api.readSelection());
      this.selection = await this.api.replaceSelection(edit(choiceOf(now)));
      return this.selection;
    });
    this.selecting = saved.catch(() => undefined);
    await saved;
    await this.loadInventory();
    return saved;
  }

  /** Its id for one that is not known, or not yet. @param {string} serverId */
  titleOf(serverId) {
    return this.servers.find(({ id }) => id === serverId)?.title ?? serverId;
  }

  /** How many accepted operations of a server this browser does not hold. @param {Server} server */
  missingPins(server) {
    return Math.max(0, server.accepted - Object.keys(this.pinned.get(server.id) ?? {}).length);
  }

  async #loadUntilFresh() {
    while (this.isStale) {
      this.isStale = false;
      const [servers, tools, selection, pinned] = await Promise.all([
        this.api.listServers(),
        this.api.listTools(),
        this.api.readSelection(),
        this.pins.listServers(),
      ]);
      this.servers = servers.servers;
      this.tools = tools.tools;
      this.selection = selection;
      this.revision = [tools, selection].every(({ revision }) => revision === servers.revision) ? servers.revision : "";
      this.pinned = new Map(pinned.map(({ server_id, operations }) => [server_id, operations]));
    }
    this.isLoaded = true;
    for (const callback of this.callbacks) callback();
  }
}
