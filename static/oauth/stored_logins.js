// @ts-check
/**
 * The logins of a server's scheme: all its accounts in one encrypted credential, one of them in use. Every change
 * happens under a Web Lock, because tabs, a worker and the one that replaces it renew the same tokens.
 */

import { ownName } from "../base/bridge_paths.js";
import { dictionaryOf, memberOf } from "../base/dictionary.js";

/** @typedef {import("../executor/credentials.js").Credentials} Credentials */
/** @typedef {import("../types/oauth_types.d.ts").Login} Login */
/** @typedef {import("../types/oauth_types.d.ts").LoginPlace} LoginPlace */
/** @typedef {import("../types/oauth_types.d.ts").OAuthCredential} OAuthCredential */

/** For every request of a server, whatever its document says: an MCP server has no document. */
export const WHOLE_SERVER = "*";
/** Read by app.js. */
const LOGIN_ORIGINS = "login origins";
const BY_SERVER = "login origins by server";
/** What the bridge takes (bridge/http/static_page.py). */
const MAX_ORIGINS = 20;

/** @param {LoginPlace} place */
const lockOf = ({ serverId, origin, scheme }) =>
  ownName(`tool-bridge-login:${JSON.stringify([serverId, origin, scheme])}`);

export class StoredLogins {
  /** @param {Credentials} credentials @param {Pick<LockManager, "request">} [locks] */
  constructor(credentials, locks = navigator.locks) {
    this.credentials = credentials;
    this.locks = locks;
  }

  /** @param {LoginPlace} place @returns {Promise<OAuthCredential["oauth"]>} */
  async readLogins({ serverId, origin, scheme }) {
    const stored = memberOf(await this.credentials.loadCredentials(serverId, origin), scheme);
    const known = stored && "oauth" in stored && stored.oauth ? stored.oauth : { active: "", logins: {} };
    return { ...known, logins: dictionaryOf(known.logins) }; // an account has the name that its server gives it
  }

  /**
   * @param {LoginPlace} place
   * @param {(known: OAuthCredential["oauth"]) => Promise<void> | void} change of the given value, alone at that time
   * @returns {Promise<OAuthCredential["oauth"]>} as it is stored now
   */
  changeLogins(place, change) {
    return this.locks.request(lockOf(place), async () => {
      const known = await this.readLogins(place);
      await change(known);
      await this.#write(place, known);
      return known;
    });
  }

  /** @param {LoginPlace} place @param {OAuthCredential["oauth"]} known */
  async #write({ serverId, origin, scheme }, known) {
    const accounts = Object.keys(known.logins);
    if (accounts.length === 0) return this.credentials.removeCredential(serverId, origin, scheme);
    if (!Object.hasOwn(known.logins, known.active)) known.active = accounts[0];
    const value = known.logins[known.active].access_token;
    const bearer =
      scheme === WHOLE_SERVER
        ? { type: /** @type {const} */ ("http"), http_scheme: /** @type {const} */ ("bearer") }
        : {};
    await this.credentials.saveCredential(serverId, origin, scheme, { ...bearer, value, oauth: known });
  }

  /**
   * Where the worker must be able to renew the logins of a server: kept in the clear, because a new worker is started
   * for them before anything is opened.
   * @param {string} serverId
   * @param {Login[]} logins all of the server's
   */
  async noteOrigins(serverId, logins) {
    const { store } = this.credentials;
    const origins = logins.flatMap(({ server }) =>
      server.token_endpoint ? [new URL(server.token_endpoint).origin] : [],
    );
    const noted = { ...(await store.readRecord("keys", BY_SERVER)), [serverId]: [...new Set(origins)] };
    const all = [...new Set(Object.values(noted).flat())].slice(0, MAX_ORIGINS);
    await store.changeRecords(["keys"], (of) => {
      of("keys").put(noted, BY_SERVER);
      of("keys").put(all, LOGIN_ORIGINS);
    });
  }
}
