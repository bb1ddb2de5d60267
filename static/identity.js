// @ts-check
/**
 * Who this browser is to the bridge: a device key that cannot be read out, and short-lived session tokens bought with
 * its signature. Knows `/api/devices` and `/api/sessions`; keeps no token beyond the page's life.
 */

/** @typedef {import("./browser_store.js").BrowserStore} BrowserStore */
/** @typedef {{device_id: string, user: string, private_key: CryptoKey}} Device */

const DEVICE_KEY = "device";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };
const SIGNED_PREFIX = "tool-bridge session ";
/** Renewed so long before the end that a token never expires on its way. */
const RENEW_BEFORE_MS = 60_000;

const SENTENCES = {
  insecure_context:
    "This page was not opened over https or on http://localhost, so the browser gives it no keys. Open it by the address that the bridge prints.",
  not_paired: "This browser is not paired with the bridge. Open the link that the bridge printed at its start.",
  ticket_refused: "This link has been used already or is too old. Ask the bridge for a new one.",
  device_unknown: "The bridge no longer knows this browser. Open a new link from the bridge to pair it again.",
  unreachable: "The bridge does not answer. Is it still running?",
};

/** Why this browser cannot speak for the user. */
export class IdentityError extends Error {
  /**
   * @param {keyof typeof SENTENCES} code
   * @param {unknown} [cause]
   */
  constructor(code, cause) {
    super(SENTENCES[code]);
    this.name = "IdentityError";
    this.code = code;
    this.retryable = code === "unreachable";
    this.cause = cause;
  }
}

/** @param {ArrayBuffer} bytes */
function base64url(bytes) {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export class Identity {
  /** @type {Device | null} */
  #device = null;
  /** @type {{token: string, ends_at: number} | null} */
  #session = null;
  /** @type {Promise<string> | null} */
  #renewal = null;

  /**
   * @param {BrowserStore} store
   * @param {{fetch?: typeof globalThis.fetch, location?: Location | null, now?: () => number}} [around]
   */
  constructor(store, around = {}) {
    this.store = store;
    this.fetch = around.fetch ?? ((input, init) => fetch(input, init));
    this.location = around.location === undefined ? globalThis.location : around.location;
    this.now = around.now ?? (() => Date.now());
    /** @type {string | null} */
    this.user = null;
  }

  /**
   * Registers this browser when the address carries a ticket, else opens a session for the device it already is.
   * @returns {Promise<{user: string}>}
   * @throws {IdentityError}
   */
  async enter() {
    if (!globalThis.crypto?.subtle) throw new IdentityError("insecure_context");
    const ticket = this.#takeTicket();
    if (ticket) await this.#register(ticket);
    await this.token();
    return { user: this.user ?? "" };
  }

  /** @returns {Promise<string>} a session token good for at least 60 s @throws {IdentityError} */
  async token() {
    if (this.#session && this.#session.ends_at - this.now() > RENEW_BEFORE_MS) return this.#session.token;
    return this.renew();
  }

  /** A new session token; callers at the same time share one. @returns {Promise<string>} @throws {IdentityError} */
  renew() {
    this.#renewal ??= this.#openSession().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** Forgets the device key: this browser has to be paired again. */
  async forget() {
    this.#device = null;
    this.#session = null;
    this.user = null;
    await this.store.change(["device"], (of) => of("device").delete(DEVICE_KEY));
  }

  /** The ticket is taken out of the address at once, so that it stays in no history and no copied link. */
  #takeTicket() {
    const ticket = new URLSearchParams(this.location?.hash.slice(1)).get("ticket");
    if (ticket) globalThis.history?.replaceState(null, "", this.location?.pathname ?? "/");
    return ticket;
  }

  /** @param {string} ticket */
  async #register(ticket) {
    const pair = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
    const public_key = await crypto.subtle.exportKey("jwk", pair.publicKey);
    try {
      const { device_id, user } = await this.#post("/api/devices", { ticket, public_key }, "ticket_refused");
      const device = { device_id, user, private_key: pair.privateKey };
      await this.store.change(["device"], (of) => of("device").put(device, DEVICE_KEY));
      this.#device = device;
      this.#session = null;
    } catch (error) {
      // A reloaded or bookmarked link: the ticket is spent, the browser is paired all the same.
      const isKnown = (await this.store.get("device", DEVICE_KEY)) !== undefined;
      if (!(error instanceof IdentityError && error.code === "ticket_refused" && isKnown)) throw error;
    }
  }

  /** @returns {Promise<string>} */
  async #openSession() {
    if (!globalThis.crypto?.subtle) throw new IdentityError("insecure_context");
    this.#device ??= (await this.store.get("device", DEVICE_KEY)) ?? null;
    const device = this.#device;
    if (!device) throw new IdentityError("not_paired");
    const { device_id } = device;
    const { nonce } = await this.#post("/api/sessions/challenge", { device_id }, "device_unknown");
    const text = new TextEncoder().encode(SIGNED_PREFIX + nonce);
    const signature = base64url(await crypto.subtle.sign(SIGNATURE, device.private_key, text));
    const opened = await this.#post("/api/sessions", { device_id, nonce, signature }, "device_unknown");
    this.#session = { token: opened.token, ends_at: this.now() + opened.expires_in * 1000 };
    this.user = opened.user;
    return opened.token;
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {"ticket_refused" | "device_unknown"} refusal what a refusal means here
   * @returns {Promise<any>}
   */
  async #post(path, body, refusal) {
    const answer = await this.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
    }).catch((error) => {
      throw new IdentityError("unreachable", error);
    });
    if (answer.ok) return answer.json();
    throw new IdentityError(answer.status >= 500 || answer.status === 429 ? "unreachable" : refusal, answer.status);
  }
}
