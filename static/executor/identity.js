// @ts-check
/**
 * Who this browser is to the bridge: a device key that cannot be read out, and short-lived session tokens bought with
 * its signature. Knows `/api/devices`, `/api/tickets`, `/api/pairings` and `/api/sessions`; stores no token beyond the page's life.
 */

import { newDeviceKey, PairingCode } from "./pairing_code.js";

/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {{device_id: string, private_key: CryptoKey}} Device */
/** @typedef {import("../types/types.d.ts").Session} Session */
/** @typedef {import("../types/types.d.ts").ExecutorOffer} ExecutorOffer */
/**
 * @typedef {object} Entrance
 * @property {string} user
 * @property {string} user_id
 * @property {boolean} byTicket a link of the user's own from the command line was spent just now
 * @property {ExecutorOffer | null} executor if a session was opened for this
 */

const DEVICE_KEY = "device";
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };
const SIGNED_PREFIX = "tool-bridge session ";
/** Renewed so long before the end that a token never expires on its way. */
const RENEW_BEFORE_MS = 60_000;

const SENTENCES = {
  insecure_context:
    "This page was not opened over https or on http://localhost, so the browser does not let it store keys. Open it at the address that the bridge prints.",
  not_paired: "This browser is not paired with the bridge. Use a code, or the link that the bridge printed when it started.",
  ticket_refused: "This link has already been used or has expired.",
  confirmation_needed: "This link is valid but needs a confirmation: confirm this browser on one of yours that is already paired.",
  device_unknown: "The bridge no longer knows this browser: it was removed, or the bridge's data is gone.",
  rate_limited: "Too many attempts. Wait a minute, then try again.",
  unreachable: "The bridge does not answer. Is it still running?",
  other_user: "This link is for another user of the bridge.",
  user_changed: "This browser now belongs to another user. Reload this page.",
};

/** After these the ticket is still good, and the next entrance may use it. */
const TICKET_STAYS = new Set(["unreachable", "rate_limited", "other_user"]);

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

/** @param {string} user whose link it is @param {string} current whose browser it is */
function otherUser(user, current) {
  const message = `This link would move this browser from ${current} to ${user}: ${user}'s calls would then run here.`;
  return new IdentityError("other_user", { message, detail: { user, current } });
}

/** @param {ArrayBuffer} bytes */
function encodeBase64Url(bytes) {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export class Identity {
  /** @type {Device | null} */
  #device = null;
  /** Taken from the address, not spent yet. @type {string | null} */
  #ticket = null;
  /** @type {Session | null} */
  #session = null;
  /** Came with the page, for its first session. */
  #nonce = "";
  /** Came with the last session. @type {ExecutorOffer | null} */
  #offer = null;
  /** @type {Promise<string> | null} */
  #renewal = null;

  /**
   * @param {BrowserStore} store
   * @param {{fetch?: typeof globalThis.fetch, location?: Location | null, now?: () => number, user_id?: string, nonce?: string, version?: string, session?: Session | null}} [environment]
   *   `user_id`: the only user this may ever speak for; the first one without it. `nonce`: one that the bridge gave
   *   with the page. `version`: the page's, which wants an executor. `session`: one that the page has opened
   */
  constructor(store, environment = {}) {
    this.store = store;
    this.fetch = environment.fetch ?? ((input, init) => fetch(input, init));
    this.location = environment.location === undefined ? globalThis.location : environment.location;
    this.now = environment.now ?? (() => Date.now());
    /** @type {string | null} */
    this.user = null;
    this.user_id = environment.user_id ?? null;
    this.#nonce = environment.nonce ?? "";
    this.version = environment.version ?? "";
    this.#session = environment.session ?? null;
    /** For a browser that came without a link of its own. */
    this.code = new PairingCode(
      (path, body) => this.#post(path, body, "device_unknown"),
      (device, user_id) => this.#saveDevice(device, user_id),
      this.now,
    );
  }

  /**
   * Opens a session. A ticket in the address pairs a browser that is nobody's yet; in a paired one it only shows that
   * the user opened his own link. Another user's ticket changes nothing unless `mayReplace`: anybody can send a link.
   * @param {{mayReplace?: boolean}} [how]
   * @returns {Promise<Entrance>}
   * @throws {IdentityError} other_user: enter again with `mayReplace`, or decline the ticket first
   */
  async signIn({ mayReplace = false } = {}) {
    if (!globalThis.crypto?.subtle) throw new IdentityError("insecure_context");
    this.#takeTicket();
    this.#offer = null;
    const byTicket = this.#ticket !== null && (await this.#spend(this.#ticket, mayReplace));
    this.#ticket = null;
    await this.sessionToken();
    return { user: this.user ?? "", user_id: this.user_id ?? "", byTicket, executor: this.#offer };
  }

  /** The browser stays whose it is; the ticket stays good. */
  declineTicket() {
    this.#ticket = null;
  }

  /** @returns {Promise<string>} a session token good for at least 60 s @throws {IdentityError} */
  async sessionToken() {
    if (this.#session && this.#session.ends_at - this.now() > RENEW_BEFORE_MS) return this.#session.token;
    return this.renewToken();
  }

  /** The session that is open now, for the page's worker. */
  get session() {
    return this.#session;
  }

  /** A new session token; callers at the same time share one. @returns {Promise<string>} @throws {IdentityError} */
  renewToken() {
    this.#renewal ??= this.#openSession().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** Forgets the device key: this browser has to be paired again. */
  async forgetDevice() {
    this.#device = null;
    this.#session = null;
    this.user = this.user_id = null;
    await this.store.changeRecords(["device"], (of) => of("device").delete(DEVICE_KEY));
  }

  /** The ticket is taken out of the address at once, so that it stays in no history and no copied link. */
  #takeTicket() {
    const ticket = new URLSearchParams(this.location?.hash.slice(1)).get("ticket");
    if (!ticket) return;
    this.#ticket = ticket;
    globalThis.history?.replaceState(null, "", this.location?.pathname ?? "/");
  }

  /**
   * @param {string} ticket
   * @param {boolean} mayReplace
   * @returns {Promise<boolean>} false: a paired browser was opened with a ticket that is worth nothing
   */
  async #spend(ticket, mayReplace) {
    try {
      if (!mayReplace && (await this.#isPaired())) return await this.#redeem(ticket);
      return await this.#pair(ticket);
    } catch (error) {
      if (!(error instanceof IdentityError && TICKET_STAYS.has(error.code))) this.#ticket = null;
      throw error;
    }
  }

  /** Whether the bridge still knows this browser. */
  async #isPaired() {
    if ((await this.store.readRecord("device", DEVICE_KEY)) === undefined) return false;
    try {
      await this.sessionToken();
      return true;
    } catch (error) {
      if (error instanceof IdentityError && error.code === "device_unknown") return false;
      throw error;
    }
  }

  /** @param {string} ticket @returns {Promise<boolean>} false: used before, too old or invented */
  async #redeem(ticket) {
    const token = await this.sessionToken();
    try {
      const { user, redeemed, printed } = await this.#post("/api/tickets", { ticket }, "ticket_refused", token);
      if (!redeemed) throw otherUser(user, this.user ?? "");
      return printed;
    } catch (error) {
      if (error instanceof IdentityError && error.code === "ticket_refused") return false;
      throw error;
    }
  }

  /** @param {string} ticket @returns {Promise<boolean>} whether it was printed at the command line */
  async #pair(ticket) {
    const { private_key, public_key } = await newDeviceKey();
    const paired = await this.#post("/api/devices", { ticket, public_key }, "ticket_refused");
    if (paired.secret) {
      this.code.showCode(paired, private_key);
      throw new IdentityError("confirmation_needed");
    }
    await this.#saveDevice({ device_id: paired.device_id, private_key }, paired.user_id);
    return paired.printed;
  }

  /** @param {Device} device @param {string} user_id */
  async #saveDevice(device, user_id) {
    await this.store.changeRecords(["device"], (of) => of("device").put(device, DEVICE_KEY));
    this.#device = device;
    this.#session = null;
    this.user_id = user_id;
  }

  /** @returns {Promise<string>} */
  async #openSession() {
    if (!globalThis.crypto?.subtle) throw new IdentityError("insecure_context");
    this.#device ??= (await this.store.readRecord("device", DEVICE_KEY)) ?? null;
    const device = this.#device;
    if (!device) throw new IdentityError("not_paired");
    const opened = (await this.#signFirstNonce(device)) ?? (await this.#signNonce(device, await this.#askForNonce(device)));
    if (this.user_id !== null && opened.user_id !== this.user_id) throw new IdentityError("user_changed");
    this.#session = { token: opened.token, ends_at: this.now() + opened.expires_in * 1000 };
    this.#offer = opened.executor ?? null;
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
    return (await this.#post("/api/sessions/challenge", { device_id }, "device_unknown")).nonce;
  }

  /** @param {Device} device @param {string} nonce */
  async #signNonce({ device_id, private_key }, nonce) {
    const text = new TextEncoder().encode(SIGNED_PREFIX + nonce);
    const signature = encodeBase64Url(await crypto.subtle.sign(SIGNATURE, private_key, text));
    return this.#post("/api/sessions", { device_id, nonce, signature, version: this.version }, "device_unknown");
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {"ticket_refused" | "device_unknown"} refusal what a refusal means here
   * @param {string} [token]
   * @returns {Promise<any>}
   */
  async #post(path, body, refusal, token) {
    const headers = new Headers({ "content-type": "application/json" });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const answer = await this.fetch(path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      cache: "no-store",
    }).catch((cause) => {
      throw new IdentityError("unreachable", { cause });
    });
    if (answer.ok) return answer.json();
    if (answer.status === 429) throw new IdentityError("rate_limited", { cause: answer.status });
    throw new IdentityError(answer.status >= 500 ? "unreachable" : refusal, { cause: answer.status });
  }
}
