// @ts-check
/** The steps of each way to log in, from a click to stored tokens. They show nothing themselves. */
import { t } from "../base/language.js";
import { awaitAnswer } from "./callback_channel.js";
import { CALLBACK_PATH, chooseClient } from "./client_identity.js";
import { beginLogin, finishLogin } from "./code_login.js";
import { awaitConfirmation, confirmationOf, requestDeviceCode } from "./device_login.js";
import { findServer } from "./server_discovery.js";
import { requestClientToken, revokeLogin } from "./token_requests.js";
import { LoginProblem } from "./login_problem.js";

/** @typedef {import("../types/oauth_types.js").FoundServer} FoundServer */
/** @typedef {import("../types/oauth_types.js").Login} Login */
/** @typedef {import("../types/oauth_types.js").LoginPlace} LoginPlace */
/** @typedef {import("../types/oauth_types.js").LoginSource} LoginSource */
/** @typedef {import("../types/oauth_types.js").Send} Send */
/** @typedef {{scopes: string[], account: string, client: import("../types/oauth_types.d.ts").OAuthClient, namesApi: boolean, origin: string}} LoginWish as a user fills it in */
/**
 * What the user sees and can do meanwhile.
 * @typedef {object} LoginTalk
 * @property {AbortSignal} signal                        the user gives up
 * @property {(url: string) => void} openPage            opens the page to log in at, or offers it
 * @property {(code: string, confirmation: import("./device_login.js").Confirmation) => void} showCode
 * @property {() => void} strayed                        an answer came that names no login
 */

const DEFAULT_ACCOUNT = "default";
export const REDIRECT = location.origin + CALLBACK_PATH;

export class LoginSteps {
  /** @param {import("./stored_logins.js").StoredLogins} logins @param {Send} send @param {() => Promise<void>} refresh of what the worker may reach */
  constructor(logins, send, refresh) {
    this.logins = logins;
    this.send = send;
    this.refresh = refresh;
  }

  /**
   * @param {LoginPlace} place
   * @param {LoginSource} source
   * @param {LoginWish} wish
   * @param {LoginTalk} talk
   */
  async logInByCode(place, source, wish, talk) {
    const { account, login } = await this.obtainByCode(place, source, wish, talk);
    await this.keep(place, account, login);
  }

  /**
   * The same, for a server that is not there yet.
   * @param {LoginPlace} place
   * @param {LoginSource} source
   * @param {LoginWish} wish
   * @param {LoginTalk} talk
   * @returns {Promise<{account: string, login: Login}>}
   */
  async obtainByCode(place, source, wish, talk) {
    const about = await this.#prepare(place, source, wish);
    const { url, pending } = await beginLogin({ ...about, redirect: REDIRECT });
    const answer = awaitAnswer(pending.state, talk);
    talk.openPage(url);
    const { login, person } = await finishLogin(pending, await answer, this.send);
    return { account: wish.account || person || DEFAULT_ACCOUNT, login };
  }

  /** @param {LoginPlace} place @param {LoginSource} source @param {LoginWish} wish @param {LoginTalk} talk */
  async logInByDevice(place, source, wish, talk) {
    const about = await this.#prepare(place, source, wish);
    const code = await requestDeviceCode(about, this.send);
    talk.showCode(code.user_code, confirmationOf(code, about.server));
    const wait = (/** @type {number} */ milliseconds) => waitOr(milliseconds, talk.signal);
    await this.keep(
      place,
      wish.account,
      await awaitConfirmation(about, code, { send: this.send, wait, now: Date.now }),
    );
  }

  /** @param {LoginPlace} place @param {LoginSource} source @param {LoginWish} wish */
  async logInAsClient(place, source, wish) {
    if (!wish.client.client_id || !wish.client.client_secret)
      throw new LoginProblem("unsupported", t`Enter the client id and the client secret: the client itself logs in.`);
    await this.keep(
      place,
      wish.account || wish.client.client_id,
      await requestClientToken(await this.#prepare(place, source, wish), this.send),
    );
  }

  /**
   * Forgets the tokens here in any case.
   * @param {LoginPlace} place
   * @param {string} account
   * @returns {Promise<string>} what became of them at the server, in words
   */
  async logOut(place, account) {
    /** @type {Login | undefined} */
    let login;
    await this.logins.changeLogins(place, (oauth) => {
      login = oauth.logins[account];
      delete oauth.logins[account];
    });
    await this.#noteOrigins(place);
    if (!login || login.ended) return t`The login is forgotten in this browser.`;
    const isRevoked = await revokeLogin(login, this.send).catch((failure) => failure);
    if (isRevoked === true)
      return t`Logged out: the server has revoked the tokens, and this browser has forgotten them.`;
    if (isRevoked === false)
      return t`This browser has forgotten the tokens. The server offers no way to revoke them, so they end by themselves.`;
    return t`This browser has forgotten the tokens, but the server could not be told to revoke them: ${isRevoked.message}`;
  }

  /** @param {LoginPlace} place @param {LoginSource} source @param {LoginWish} wish */
  async #prepare(place, source, { client: given, scopes, namesApi }) {
    const found = await findServer(source, this.send);
    const client = await chooseClient(
      found.server,
      { given, known: await this.#knownClient(place, found, given.client_id), pageUrl: location.href },
      this.send,
    );
    const resource = found.resource || (namesApi ? place.origin : "");
    return {
      server: found.server,
      client,
      scopes: scopes.length > 0 || !source.mcp_url ? scopes : found.scopes,
      resource,
    };
  }

  /** Of this issuer only: one's credentials are never sent to another. @param {LoginPlace} place @param {FoundServer} found @param {string} client_id */
  async #knownClient(place, { server }, client_id) {
    const { logins } = await this.logins.readLogins(place);
    const known = Object.values(logins).find(
      (login) => login.server.issuer === server.issuer && login.server.token_endpoint === server.token_endpoint,
    );
    return known && (!client_id || known.client.client_id === client_id) ? known.client : null;
  }

  /** @param {LoginPlace} place @param {string} account @param {Login} login */
  async keep(place, account, login) {
    const name = account || DEFAULT_ACCOUNT;
    await this.logins.changeLogins(place, (oauth) => {
      oauth.logins[name] = login;
      oauth.active = name;
    });
    await this.#noteOrigins(place);
  }

  /** @param {LoginPlace} place */
  async #noteOrigins({ serverId }) {
    const names = await this.logins.credentials.listCredentials(serverId);
    const all = await Promise.all(
      names.map(({ origin, scheme }) => this.logins.readLogins({ serverId, origin, scheme })),
    );
    await this.logins.noteOrigins(
      serverId,
      all.flatMap(({ logins }) => Object.values(logins)),
    );
    await this.refresh();
  }
}

/** @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
function waitOr(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
