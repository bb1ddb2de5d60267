// @ts-check
/**
 * In the worker: gives calls a token that has not expired, and notices when an API refuses it. Loaded with the first
 * call that carries a login, as a file of its own, so the class of failures is handed in.
 */

import { dictionaryOf, memberOf } from "../base/dictionary.js";
import { sendAsChosen, sendByCompanion } from "./companion_requests.js";
import { problemOf } from "./login_problem.js";
import { StoredLogins } from "./stored_logins.js";
import { isRenewable, renewLogin } from "./token_requests.js";

/** @typedef {import("../types/types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("../types/oauth_types.d.ts").Login} Login */
/** @typedef {import("../types/oauth_types.d.ts").LoginPlace} LoginPlace */
/** @typedef {import("../types/oauth_types.d.ts").OAuthCredential} OAuthCredential */
/** @typedef {new (code: string, message: string, more: {detail: Record<string, unknown>, retryable?: boolean}) => Error} FailureClass */

/**
 * @typedef {object} RenewalParts
 * @property {StoredLogins} logins
 * @property {(serverId: string) => import("../types/oauth_types.d.ts").Send} sendOf  as the user has chosen for that server
 * @property {() => number} now                     milliseconds since 1970
 * @property {FailureClass} Failure                 of a call, or of whoever asks
 * @property {() => void} loginsChanged            for the views
 */

/** A token is renewed this long before its end, or at the last tenth of its life. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;
/** A scope as RFC 6749 §3.3 writes it, and not longer than one should be: users and models read it. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;
const MAX_SCOPES = 20;
const DOUBT =
  " The next call asks once more. If the server has renewed it all the same, it then ends the login, and the user logs in again.";
const LOST =
  " A renewal before had no answer: the server has probably performed it, and takes the old refresh token for a stolen one.";
/** Characters of a refusal that are searched for its reason. */
const REASON_CHARS = 65_536;

/**
 * A renewal that had no answer is asked for again when the token has ended, and not before: the server may have renewed it, and
 * takes the second use of a refresh token for a theft, which ends what is left of the login (RFC 9700 §4.14). By then
 * nothing is left but what the server may give once more.
 * @param {Login} login @param {number} now
 */
function isFresh({ access_token, expires_at, obtained_at, ended, unanswered_since }, now) {
  if (ended || access_token === "") return false;
  if (expires_at === null) return true;
  return now < expires_at - (unanswered_since ? 0 : Math.min(MARGIN_MS, (expires_at - obtained_at) * MARGIN_SHARE));
}

export class Renewal {
  /** @param {RenewalParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * The same credentials, each login with a token that can be sent.
   * @param {CredentialSet} credentials
   * @param {string} serverId
   * @param {string} origin
   * @param {boolean} [mayRenew] false: nothing is sent, and what could be renewed is given as it is
   * @returns {Promise<CredentialSet>}
   * @throws a `Failure` `login_needed`: only the user can help
   */
  async freshCredentials(credentials, serverId, origin, mayRenew = true) {
    const fresh = dictionaryOf(credentials);
    for (const [scheme, stored] of Object.entries(credentials)) {
      if (!("oauth" in stored) || !stored.oauth) continue;
      const place = { serverId, origin, scheme };
      const known = memberOf(stored.oauth.logins, stored.oauth.active);
      const isGood = known && (isFresh(known, this.parts.now()) || (!mayRenew && !known.ended && isRenewable(known)));
      const oauth = isGood ? stored.oauth : await this.#renew(place);
      const login = oauth.logins[oauth.active];
      fresh[scheme] = {
        ...stored,
        value: login.access_token,
        oauth,
        check: (response) => this.#checkAnswer(place, login, response),
      };
    }
    return fresh;
  }

  /** Of two calls at once the second finds what the first got. @param {LoginPlace} place */
  async #renew(place) {
    const { logins, sendOf, now, loginsChanged } = this.parts;
    /** @type {unknown} */
    let failure = null;
    const known = await logins.changeLogins(place, async (oauth) => {
      const login = oauth.logins[oauth.active];
      if (!login || isFresh(login, now())) return;
      try {
        if (login.ended) throw new Error(login.ended);
        if (!isRenewable(login)) throw new Error("It has expired, and the server gave nothing to renew it with.");
        oauth.logins[oauth.active] = await renewLogin(login, sendOf(place.serverId));
      } catch (error) {
        failure = error;
        this.#noteFailure(login, error);
      }
    });
    loginsChanged();
    if (failure && !isFresh(known.logins[known.active], now()))
      throw this.#loginNeeded(known.logins[known.active], failure);
    return known;
  }

  /** Only what the server refuses has ended; a network that fails may be back in a minute, and the refresh token is kept. @param {Login} login @param {unknown} error */
  #noteFailure(login, error) {
    const problem = problemOf(error);
    const isOver = problem.code === "ended" || problem.code === "refused" || !isRenewable(login);
    if (login.ended) return;
    const ended = problem.message + (login.unanswered_since ? LOST : "");
    if (isOver) Object.assign(login, { ended, access_token: "", refresh_token: "" });
    else if (problem.code !== "companion" && login.grant !== "client") login.unanswered_since ??= this.parts.now();
  }

  /** @param {Login} login @param {unknown} failure */
  #loginNeeded(login, failure) {
    const { code, message } = login.ended ? { code: "ended", message: login.ended } : problemOf(failure);
    const { host } = new URL(login.server.issuer);
    const words = login.ended
      ? `The login at ${host} has ended. ${message} Log in again on the bridge page.`
      : `The login at ${host} could not be renewed. ${message}${login.unanswered_since ? DOUBT : ""}`;
    return new this.parts.Failure("login_needed", words, {
      detail: { issuer: login.server.issuer },
      retryable: code !== "ended" && code !== "unknown",
    });
  }

  /**
   * @param {LoginPlace} place
   * @param {Login} login that was sent
   * @param {Response} response
   * @throws a `Failure`: the API did nothing, because of the login (RFC 6750 §3.1)
   */
  async #checkAnswer(place, login, response) {
    if (response.status !== 401 && response.status !== 403) return;
    const { error, scope } = await refusalOf(response);
    const scopes = scope.split(" ").filter((name) => SCOPE.test(name));
    if (error === "insufficient_scope")
      throw await this.#missScopes(place, login, scopes.slice(0, MAX_SCOPES), response.status);
    if (response.status === 401 && error === "invalid_token") await this.#distrust(place, login);
  }

  /** @param {LoginPlace} place @param {Login} sent @param {string[]} scopes @param {number} status 403, of some APIs 401 */
  async #missScopes(place, sent, scopes, status) {
    const missing = scopes.filter((scope) => !sent.scopes.includes(scope));
    await this.#change(
      place,
      sent,
      (login) => void (login.missing_scopes = [...new Set([...login.missing_scopes, ...missing])]),
    );
    const named = missing.length > 0 ? `the scope ${missing.join(", ")}` : "a scope that it does not name";
    const words = `The API refuses the login: it lacks ${named}. The user can log in again with more on the bridge page, at this server.`;
    return new this.parts.Failure("login_needed", words, { detail: { status, missing_scopes: missing } });
  }

  /** The API has revoked what had not expired: the next call renews it. @param {LoginPlace} place @param {Login} sent */
  #distrust(place, sent) {
    return this.#change(
      place,
      sent,
      (login) =>
        void (isRenewable(login)
          ? (login.expires_at = 0)
          : Object.assign(login, { ended: "The API does not accept it any more.", access_token: "" })),
    );
  }

  /** What has been renewed since is left alone. @param {LoginPlace} place @param {Login} sent @param {(login: Login) => void} change */
  async #change(place, sent, change) {
    await this.parts.logins.changeLogins(place, (oauth) => {
      const same = Object.values(oauth.logins).find(({ access_token }) => access_token === sent.access_token);
      if (same) change(same);
    });
    this.parts.loginsChanged();
  }
}

/**
 * The reason in `WWW-Authenticate`, which a page may read if the API exposes it, else in a JSON body.
 * @param {Response} response
 * @returns {Promise<{error: string, scope: string}>}
 */
export async function refusalOf(response) {
  const challenge = response.headers.get("www-authenticate") ?? "";
  /** @param {string} name */
  const parameter = (name) => new RegExp(`[\\s,]${name}="([^"]*)"`, "i").exec(challenge)?.[1] ?? "";
  if (/^bearer\s/i.test(challenge) && parameter("error"))
    return { error: parameter("error"), scope: parameter("scope") };
  const text =
    Number(response.headers.get("content-length") ?? 0) > REASON_CHARS
      ? ""
      : await response
          .clone()
          .text()
          .catch(() => "");
  try {
    const { error = "", scope = "" } = JSON.parse(text.slice(0, REASON_CHARS)) ?? {};
    return { error: String(error), scope: String(scope) };
  } catch {
    return { error: "", scope: "" };
  }
}

/**
 * @typedef {object} WorkerParts
 * @property {import("../executor/credentials.js").Credentials} credentials
 * @property {typeof fetch} fetch
 * @property {import("../types/types.d.ts").Transport} companion
 * @property {Pick<import("../executor/transport_choice.js").TransportChoices, "findVia">} choices
 * @property {() => void} loginsChanged
 */

/** @param {WorkerParts & {Failure: FailureClass}} parts */
export function makeRenewal({ credentials, fetch: send, companion, choices, loginsChanged, Failure }) {
  const sendPlain = (/** @type {string} */ url, /** @type {any} */ init) =>
    send(url, { ...init, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" });
  const ways = { page: sendPlain, companion: sendByCompanion(companion) };
  const sendOf = (/** @type {string} */ serverId) => sendAsChosen((origin) => choices.findVia(serverId, origin), ways);
  return new Renewal({ logins: new StoredLogins(credentials), sendOf, now: Date.now, loginsChanged, Failure });
}
