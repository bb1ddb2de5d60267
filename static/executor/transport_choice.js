// @ts-check
/** How a server's requests reach an API from this browser: what the user has chosen, and how it is told. */

import { ownName } from "../base/bridge_paths.js";

/** @typedef {import("../types/types.d.ts").Via} Via */
/** @typedef {import("../types/types.d.ts").TransportChoice} TransportChoice */
/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */

const STORE = "transports";

/** @type {Via} */
export const BY_PAGE = Object.freeze({ transport: "page", login: false, headers: [] });

/** Of requests that carry no login of its own, as those of an authorization server. @type {Via} */
export const BY_COMPANION = Object.freeze({ transport: "companion", login: false, headers: [] });

/** What an answer says of its way; nothing where it is the usual one. @param {Via} via */
export function statedVia({ transport, login }) {
  return transport === "companion" ? { transport, login } : {};
}

/** @template {{detail: Record<string, unknown>}} T @param {T} failure @param {Via} via @returns {T} */
export function withVia(failure, via) {
  failure.detail = { ...failure.detail, ...statedVia(via) };
  return failure;
}

/** Codes of what stops a page, and not the companion. */
export const WALLS = new Set(["cors", "mixed_content", "blocked_local_network"]);
const OTHER_WAY = "Or the user chooses on the bridge page, under the server, that the companion extension calls it.";

/** The diagnosis with the other way in it, for those who see nothing of the page. @param {string} code @param {string} message */
export const withOtherWay = (code, message) => (WALLS.has(code) ? `${message} ${OTHER_WAY}` : message);

/** Values of cookies that the user has set for an API: who has one may be him. @param {Via} via @returns {string[]} longer than would garble any text */
export function cookieTexts({ headers }) {
  const pairs = headers.flatMap(([name, value]) => (name === "cookie" ? value.split("; ") : []));
  return pairs.map((pair) => pair.slice(pair.indexOf("=") + 1)).filter((text) => text.length >= 4);
}

/** @param {string} serverId @param {string} origin */
const keyOf = (serverId, origin) => `${serverId} ${origin}`;

/** @param {TransportChoice | undefined} chosen @returns {Via} */
const viaOf = (chosen) =>
  chosen ? { transport: chosen.transport, login: chosen.login, headers: chosen.headers } : BY_PAGE;

/** What the user has chosen, as it is stored now. @param {BrowserStore} store @param {string} serverId @param {string} origin */
export const readVia = async (store, serverId, origin) => viaOf(await store.readRecord(STORE, [serverId, origin]));

/** What the user has chosen, by server and origin of the API. It is remembered, so that a call waits for no storage. */
export class TransportChoices {
  /** Null: to be read again. @type {Promise<Map<string, TransportChoice>> | null} */
  #known = null;

  /**
   * @param {BrowserStore} store
   * @param {Pick<BroadcastChannel, "postMessage" | "onmessage">} channel  of all tabs and workers that share the store
   */
  constructor(store, channel) {
    this.store = store;
    this.channel = channel;
    channel.onmessage = () => (this.#known = null);
  }

  /** @param {string} serverId @param {string} origin @returns {Promise<Via>} */
  async findVia(serverId, origin) {
    return viaOf((await this.#readChoices()).get(keyOf(serverId, origin)));
  }

  /** Those for which something else than the page was chosen. @param {string} serverId */
  async listOrigins(serverId) {
    return [...(await this.#readChoices()).values()].flatMap(({ server_id, origin }) =>
      server_id === serverId ? [origin] : [],
    );
  }

  /** Whether any API is called with the user's login. */
  async hasLogins() {
    return [...(await this.#readChoices()).values()].some(({ login }) => login);
  }

  /** @param {string} server_id @param {string} origin @param {Via} via */
  async saveChoice(server_id, origin, via) {
    /** @type {TransportChoice} */
    const choice = { server_id, origin, ...via };
    await this.store.changeRecords([STORE], (of) => {
      if (via.transport === "page") of(STORE).delete([server_id, origin]);
      else of(STORE).put(choice, [server_id, origin]);
    });
    this.#known = null;
    this.channel.postMessage("changed");
  }

  #readChoices() {
    this.#known ??= this.#readAll();
    return this.#known;
  }

  async #readAll() {
    try {
      /** @type {TransportChoice[]} */
      const all = await this.store.readRecords(STORE);
      return new Map(all.map((each) => [keyOf(each.server_id, each.origin), each]));
    } catch (error) {
      this.#known = null;
      throw error;
    }
  }
}

/** @param {string} userId */
export const openTransportChannel = (userId) => new BroadcastChannel(ownName(`tool-bridge-transports:${userId}`));
