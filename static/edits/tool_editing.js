// @ts-check
/** The edits of one tool in the bridge: read, and saved without undoing what another tab has saved meanwhile. */
import { ApiError } from "../session/api_error.js";
import { readOverlays, writeOverlays } from "./page_overlay.js";
import { mergeEdits, readEdits, writeEdits } from "./tool_edits.js";

/** @typedef {import("../types/edit_types.js").Clash} Clash */
/** @typedef {import("../types/edit_types.js").EditableTool} EditableTool */
/** @typedef {import("../types/edit_types.js").ServerOverlays} ServerOverlays */
/** @typedef {import("../types/edit_types.js").ToolEdits} ToolEdits */
/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} Api */

const ATTEMPTS = 5;

/** @param {string} serverId */
export const overlaysPath = (serverId) => `/api/servers/${encodeURIComponent(serverId)}/overlays`;

export class ToolEditing {
  /** @param {Api} api @param {string} serverId @param {string} key of the operation */
  constructor(api, serverId, key) {
    this.api = api;
    this.serverId = serverId;
    this.key = key;
    /** As the document has it. @type {EditableTool | null} */
    this.original = null;
    /** As this view has last seen them. @type {ToolEdits} */
    this.edits = new Map();
    /** The targets of the actions that were sent last. @type {string[]} */
    this.targets = [];
  }

  /** @returns {Promise<EditableTool>} */
  async load() {
    const set = readOverlays((await this.#readStored()).overlays);
    const original = await this.#readTool(set.others.length);
    this.original = original;
    this.edits = readEdits(set.actions, original);
    return original;
  }

  /** @returns {Promise<string[]>} what the bridge says of the tool with all edits; nothing of one that they leave out */
  async readWarnings() {
    const { overlays } = await this.#readStored();
    return (await this.#readTool(overlays.length).catch(() => null))?.warnings ?? [];
  }

  /**
   * @param {ToolEdits} mine
   * @returns {Promise<{edits: ToolEdits, clashes: Clash[]}>} with clashes nothing is saved: the next time they are replaced
   * @throws {ApiError} as the bridge refuses it
   */
  async save(mine) {
    const places = /** @type {EditableTool} */ (this.original);
    for (let attempt = 1; ; attempt += 1) {
      const stored = await this.#readStored();
      const set = readOverlays(stored.overlays);
      const theirs = readEdits(set.actions, places);
      const merged = mergeEdits(this.edits, mine, theirs);
      if (merged.clashes.length > 0) {
        this.edits = theirs;
        return merged;
      }
      const actions = writeEdits(set.actions, places, merged.edits);
      this.targets = actions.map(({ target }) => String(target));
      if (await this.#replace(writeOverlays({ ...set, actions }), stored.version, attempt < ATTEMPTS)) {
        this.edits = merged.edits;
        return merged;
      }
    }
  }

  /** @param {string[]} overlays @param {string} version @param {boolean} mayBeLate @returns {Promise<boolean>} false: others were stored meanwhile */
  async #replace(overlays, version, mayBeLate) {
    try {
      await this.api.sendRequest("PUT", overlaysPath(this.serverId), { overlays, version });
      return true;
    } catch (failure) {
      if (mayBeLate && failure instanceof ApiError && failure.code === "document_changed") return false;
      throw failure;
    }
  }

  /** @param {number} overlays how many of them are applied @returns {Promise<EditableTool>} */
  #readTool(overlays) {
    const query = new URLSearchParams({ key: this.key, overlays: String(overlays) });
    return this.api.sendRequest("GET", `/api/servers/${encodeURIComponent(this.serverId)}/original?${query}`);
  }

  /** @returns {Promise<ServerOverlays>} */
  #readStored() {
    return this.api.sendRequest("GET", overlaysPath(this.serverId));
  }
}
