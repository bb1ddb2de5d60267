// @ts-check
/**
 * Being paired by a code: this browser shows it, its user types it on a browser that is paired already. The code is bound
 * to a key made here that cannot be read out; knowing the code alone is worth nothing.
 */

/** @typedef {import("./session_tokens.js").Device} Device */
/** @typedef {{code: string, secret: string, expires_in: number}} Offer what the bridge answers */
/** @typedef {{code: string, ends_at: number}} ShownCode `ends_at`: milliseconds since 1970 */
/** @typedef {"waiting" | "confirmed" | "refused" | "expired"} Standing */

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

/** @returns {Promise<{private_key: CryptoKey, public_key: JsonWebKey}>} the private half cannot be read out */
export async function newDeviceKey() {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
  return { private_key: pair.privateKey, public_key: await crypto.subtle.exportKey("jwk", pair.publicKey) };
}

export class PairingCode {
  /** @type {{code: string, secret: string, ends_at: number, private_key: CryptoKey} | null} */
  #waiting = null;

  /**
   * @param {(path: string, body: unknown) => Promise<any>} post
   * @param {(device: Device, user_id: string) => Promise<void>} keep
   * @param {() => number} now
   */
  constructor(post, keep, now) {
    this.post = post;
    this.keep = keep;
    this.now = now;
  }

  /** @returns {ShownCode | null} */
  get shownCode() {
    return this.#waiting;
  }

  /** Asks for a code that any user may confirm. @returns {Promise<ShownCode>} */
  async requestCode() {
    const { private_key, public_key } = await newDeviceKey();
    return this.showCode(await this.post("/api/pairings", { public_key }), private_key);
  }

  /**
   * Shows the code that came in answer to a link.
   * @param {Offer} offer
   * @param {CryptoKey} private_key
   * @returns {ShownCode}
   */
  showCode({ code, secret, expires_in }, private_key) {
    this.#waiting = { code, secret, ends_at: this.now() + expires_in * 1000, private_key };
    return this.#waiting;
  }

  /** How things stand; once "confirmed", this browser is a device. @returns {Promise<Standing>} */
  async readStanding() {
    const waiting = this.#waiting;
    if (!waiting || waiting.ends_at <= this.now()) return "expired";
    const { state, device_id, user_id } = await this.post("/api/pairings/standing", { secret: waiting.secret });
    if (state === "confirmed") await this.keep({ device_id, private_key: waiting.private_key }, user_id);
    if (state !== "waiting") this.#waiting = null;
    return state;
  }
}
