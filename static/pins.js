// @ts-check
/**
 * The page's own copy of what the user accepted: request plans as they were shown, with their digests. The executor
 * builds requests from these and from nothing else, so the bridge can only choose among accepted operations.
 */

import { keysBelow } from "./browser_store.js";
import { forbiddenTarget } from "./address_space.js";
import { parseBase } from "./request_url.js";
import { messageOf } from "./call_failure.js";

/** @typedef {import("./browser_store.js").BrowserStore} BrowserStore */
/** @typedef {import("./types.d.ts").Pin} Pin */
/** @typedef {import("./types.d.ts").PinnedServer} PinnedServer */
/** @typedef {import("./types.d.ts").OfferedOperation} OfferedOperation */

const PLAN_VERSION = 1;

/** Why an operation cannot be accepted. `code`: no_base_url, forbidden_origin or bad_plan; `key`: which operation. */
export class PinError extends Error {
  /** @param {string} code @param {string} message @param {string} key */
  constructor(code, message, key) {
    super(message);
    this.name = "PinError";
    this.code = code;
    this.key = key;
  }
}

/**
 * @param {{id: string, base_url: string}} server `base_url` serves plans that name none
 * @param {string} key
 * @param {OfferedOperation} operation
 * @param {string} ownOrigin
 * @returns {Pin}
 * @throws {PinError}
 */
export function pinOf(server, key, { name, digest, plan }, ownOrigin) {
  // Documents tell operations apart by a fragment of the path; a request, and so its plan, has none.
  if (plan?.version !== PLAN_VERSION || key.split("#", 1)[0] !== `${plan.method} ${plan.path}`)
    throw new PinError("bad_plan", `The bridge gave no usable plan for "${key}". Reload the page.`, key);
  const base_url = plan.base_url || server.base_url;
  let origin;
  try {
    ({ origin } = parseBase(base_url));
  } catch (error) {
    throw new PinError("no_base_url", messageOf(error), key);
  }
  const forbidden = forbiddenTarget(base_url, ownOrigin);
  if (forbidden) throw new PinError("forbidden_origin", forbidden, key);
  return { server_id: server.id, key, name, digest, base_url, origin, plan };
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
   * Replaces what was accepted of this server; nothing is kept when one operation is refused.
   * @param {{id: string, base_url: string}} server
   * @param {Record<string, OfferedOperation>} operations
   * @throws {PinError}
   */
  async accept(server, operations) {
    const pins = Object.entries(operations).map(([key, offered]) => pinOf(server, key, offered, this.ownOrigin));
    const digests = Object.fromEntries(pins.map(({ key, digest }) => [key, digest]));
    /** @type {PinnedServer} */
    const kept = { server_id: server.id, base_url: server.base_url, operations: digests };
    await this.store.change(["servers", "pins"], (of) => {
      of("pins").delete(keysBelow([server.id]));
      for (const pin of pins) of("pins").put(pin, [server.id, pin.key]);
      of("servers").put(kept, server.id);
    });
  }

  /** @param {string} serverId */
  async remove(serverId) {
    await this.store.change(["servers", "pins"], (of) => {
      of("pins").delete(keysBelow([serverId]));
      of("servers").delete(serverId);
    });
  }

  /** @returns {Promise<PinnedServer[]>} */
  list() {
    return this.store.all("servers");
  }

  /**
   * @param {string} serverId
   * @param {string} key for example "GET /pets/{id}"
   * @returns {Promise<Pin | null>}
   */
  async lookup(serverId, key) {
    return (await this.store.get("pins", [serverId, key])) ?? null;
  }
}
