// @ts-check
/**
 * The page's own copy of what the user accepted: request plans as they were shown, with their digests. The executor
 * builds requests from these and from nothing else, so the bridge can only choose among accepted operations.
 */

import { keysBelow } from "../base/browser_store.js";
import { readsOfServer } from "../causes/read_history.js";

/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {import("../types/types.d.ts").Pin} Pin */
/** @typedef {import("../types/types.d.ts").PinnedServer} PinnedServer */

/**
 * A part of a change of the stores servers and pins: what was accepted of this server is replaced.
 * @param {(store: "servers" | "pins") => IDBObjectStore} of
 * @param {{id: string, base_url: string}} server
 * @param {Pin[]} pins
 */
export function putPins(of, server, pins) {
  const digests = Object.fromEntries(pins.map(({ key, digest }) => [key, digest]));
  /** @type {PinnedServer} */
  const stored = { server_id: server.id, base_url: server.base_url, operations: digests };
  of("pins").delete(keysBelow([server.id]));
  for (const pin of pins) of("pins").put(pin, [server.id, pin.key]);
  of("servers").put(stored, server.id);
}

export class Pins {
  /**
   * @param {BrowserStore} store
   * @param {string} [ownOrigin] the bridge's origin, which no tool may call
   */
  constructor(store, ownOrigin = globalThis.location?.origin ?? "") {
    this.store = store;
    this.ownOrigin = ownOrigin;
  }

  /**
   * Replaces what was accepted of this server.
   * @param {{id: string, base_url: string}} server
   * @param {Pin[]} pins
   */
  async replacePins(server, pins) {
    await this.store.changeRecords(["servers", "pins"], (of) => putPins(of, server, pins));
  }

  /** @param {string} serverId */
  async removeServer(serverId) {
    await this.store.changeRecords(["servers", "pins", "grants", "transports", "keys"], (of) => {
      of("pins").delete(keysBelow([serverId]));
      of("grants").delete(keysBelow([serverId]));
      of("transports").delete(keysBelow([serverId]));
      of("keys").delete(readsOfServer(serverId));
      of("servers").delete(serverId);
    });
  }

  /** @returns {Promise<PinnedServer[]>} */
  listServers() {
    return this.store.readRecords("servers");
  }

  /** @param {string} serverId @returns {Promise<Pin[]>} */
  listPins(serverId) {
    return this.store.readRecords("pins", keysBelow([serverId]));
  }

  /** Of all servers. @returns {Promise<Pin[]>} */
  listAllPins() {
    return this.store.readRecords("pins");
  }

  /**
   * @param {string} serverId
   * @param {string} key for example "GET /pets/{id}"
   * @returns {Promise<Pin | null>}
   */
  async findPin(serverId, key) {
    return (await this.store.readRecord("pins", [serverId, key])) ?? null;
  }
}
