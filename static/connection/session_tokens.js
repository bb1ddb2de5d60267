// @ts-check
/**
 * The session tokens of this browser, bought with the signature of its device key, and the replica they lead to. Knows
 * `/api/sessions`; stores no token beyond the page's life. All that a worker needs of who this browser is.
 */

import { bridgePath } from "../base/bridge_paths.js";
import { dictionaryOf } from "../base/dictionary.js";

/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {{device_id: string, private_key: CryptoKey}} Device */
/** @typedef {import("../types/types.d.ts").Session} Session */
/** @typedef {import("../types/types.d.ts").ExecutorOffer} ExecutorOffer */
/**
 * @typedef {object} Environment
 * @property {typeof globalThis.fetch} [fetch]
 * @property {() => number} [now]
 * @property {string} [user_id]  the only user this may ever speak for; the first one without it
 * @property {string} [nonce]    one that the bridge gave with the page
 * @property {string} [version]  the page's, which wants an executor
 * @property {Session | null} [session]  one that the page has opened
 */

/** Where the device key is in its store. */
export const DEVICE_KEY = "device";
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };
const SIGNED_PREFIX = "tool-bridge session ";
/** Renewed so long before the end that a token never expires on its way. */
const RENEW_BEFORE_MS = 60_000;

const SENTENCES = dictionaryOf({
  insecure_context:
    "This page was not opened over https or on http://localhost, so the browser does not let it store keys. Open it at the address that the bridge prints.",
  not_paired:
    "This browser is not paired with the bridge. Use a code, or the link that the bridge printed when it started.",
  ticket_refused: "This link has already been used or has expired.",
  confirmation_needed:
    "This link is valid but needs a confirmation: confirm this browser on one of yours that is already paired.",
  device_unknown: "The bridge no longer knows this browser: it was removed, or the bridge's data is gone.",
  login_ended: "Your login has ended. Log in again on the bridge page.",
  rate_limited: "Too many attempts. Wait a minute, then try again.",
  unreachable: "The bridge does not answer. Is it still running?",
  other_user: "This link is for another user of the bridge.",
  user_changed: "This browser now belongs to another user. Reload this page.",
});

/** Why this browser cannot speak for the user. */
export class IdentityError extends Error {
  /**
   * @param {keyof typeof SENTENCES} code
   * @param {{message?: string, detail?: Record<string, string>, cause?: unknown}} [more]
   */
  constructor(code, { message = SENTENCES[code], detail = {}, cause } = {}) {
    super(message, { cause });
    this.name = "IdentityError";
    this.code = code;
    this.detail = detail;
    this.retryable = code === "unreachable" || code === "rate_limited";
  }
}

/** @param {ArrayBuffer} bytes */
function encodeBase64Url(bytes) {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Whether a refusal says that its user has to log in again. @param {Response} answer */
async function hasLoginEnded(answer) {
  const { error } = await answer.json().catch(() => ({}));
  return error?.detail?.reason === "login_ended";
}

export class SessionTokens {
  /** Came with the page, for its first session. */
  #nonce = "";
  /** @type {Promise<string> | null} */
  #renewal = null;
  #abandoning = new AbortController();

  /** @param {BrowserStore} store @param {Environment} [environment] */
  constructor(store, environment = {}) {
    this.store = store;
    this.fetch = environment.fetch ?? ((input, init) => fetch(input, init));
    this.now = environment.now ?? (() => Date.now());
    /** @type {string | null} */
    this.user = null;
    this.user_id = environment.user_id ?? null;
    this.#nonce = environment.nonce ?? "";
    this.version = environment.version ?? "";
    /** Once it was read. @type {Device | null} */
    this.device = null;
    /** The one that is open now. */
    this.session = environment.session ?? null;
    /** Came with the last session. @type {ExecutorOffer | null} */
    this.offer = null;
  }

  /** @returns {Promise<string>} a session token good for at least 60 s @throws {IdentityError} */
  async sessionToken() {
    if (this.session && this.session.ends_at - this.now() > RENEW_BEFORE_MS) return this.session.token;
    return this.renewToken();
  }

  /** By which replicas know where this user's requests without a token go; empty: there is one. */
  get route() {
    return this.session?.route ?? "";
  }

  /** @param {string} route as a replica gives it */
  changeRoute(route) {
    if (this.session) this.session = { ...this.session, route };
  }

  /** Lets who waits for a new token try again: the replica that was asked may be frozen. */
  abandonRenewal() {
    this.#abandoning.abort();
    this.#abandoning = new AbortController();
  }

  /** A new session token; callers at the same time share one. @returns {Promise<string>} @throws {IdentityError} */
  renewToken() {
    this.#renewal ??= this.#openSession().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** @returns {Promise<string>} */
  async #openSession() {
    if (!globalThis.crypto?.subtle) throw new IdentityError("insecure_context");
    this.device ??= (await this.store.readRecord("device", DEVICE_KEY)) ?? null;
    const device = this.device;
    if (!device) throw new IdentityError("not_paired");
    const opened =
      (await this.#signFirstNonce(device)) ?? (await this.#signNonce(device, await this.#askForNonce(device)));
    if (this.user_id !== null && opened.user_id !== this.user_id) throw new IdentityError("user_changed");
    this.session = { token: opened.token, ends_at: this.now() + opened.expires_in * 1000, route: opened.route };
    this.offer = opened.executor ?? null;
    this.user = opened.user;
    this.user_id = opened.user_id;
    return opened.token;
  }

  /** @param {Device} device @returns {Promise<any>} null: the page came without a nonce, or it is too old by now */
  async #signFirstNonce(device) {
    const nonce = this.#nonce;
    this.#nonce = "";
    if (nonce === "") return null;
    return this.#signNonce(device, nonce).catch((error) => {
      if (error instanceof IdentityError && error.code === "device_unknown") return null;
      throw error;
    });
  }

  /** @param {Device} device @returns {Promise<string>} */
  async #askForNonce({ device_id }) {
    return (await this.post("/api/sessions/challenge", { device_id }, "device_unknown")).nonce;
  }

  /** @param {Device} device @param {string} nonce */
  async #signNonce({ device_id, private_key }, nonce) {
    const text = new TextEncoder().encode(SIGNED_PREFIX + nonce);
    const signature = encodeBase64Url(await crypto.subtle.sign(SIGNATURE, private_key, text));
    return this.post("/api/sessions", { device_id, nonce, signature, version: this.version }, "device_unknown");
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {"ticket_refused" | "device_unknown"} refusal what a refusal means here
   * @param {string} [token]
   * @returns {Promise<any>}
   */
  async post(path, body, refusal, token) {
    const headers = new Headers({ "content-type": "application/json" });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const answer = await this.fetch(bridgePath(path), {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      cache: "no-store",
      signal: this.#abandoning.signal,
    }).catch((cause) => {
      throw new IdentityError("unreachable", { cause });
    });
    if (answer.ok) return answer.json();
    if (answer.status === 429) throw new IdentityError("rate_limited", { cause: answer.status });
    if (answer.status >= 500) throw new IdentityError("unreachable", { cause: answer.status });
    throw new IdentityError((await hasLoginEnded(answer)) ? "login_ended" : refusal, { cause: answer.status });
  }
}
