// @ts-check
/**
 * Who this browser is to the bridge: how it enters, by the device key that it has, by a link or by a code. Knows
 * `/api/devices`, `/api/tickets` and `/api/pairings`.
 */

import { t } from "../base/language.js";
import { DEVICE_KEY, IdentityError, SessionTokens } from "./session_tokens.js";
import { newDeviceKey, PairingCode } from "./pairing_code.js";

/** @typedef {import("./session_tokens.js").Device} Device */
/**
 * @typedef {object} Entrance
 * @property {string} user
 * @property {string} user_id
 * @property {boolean} byTicket a link of the user's own from the command line was spent just now
 * @property {import("../types/types.d.ts").ExecutorOffer | null} executor if a session was opened for this
 */

/** After these the ticket is still good, and the next entrance may use it. */
const TICKET_STAYS = new Set(["unreachable", "rate_limited", "other_user"]);

/** How tickets begin that only the browser can spend that has logged in. */
const LOGIN_TICKET = "login-";

/** @param {string} user whose link it is @param {string} current whose browser it is */
function otherUser(user, current) {
  const message = t`This link would move this browser from ${current} to ${user}: ${user}'s calls would then run here.`;
  return new IdentityError("other_user", { message, detail: { user, current } });
}

export class Identity extends SessionTokens {
  /** Taken from the address, not spent yet. @type {string | null} */
  #ticket = null;

  /**
   * @param {import("../base/browser_store.js").BrowserStore} store
   * @param {import("./session_tokens.js").Environment & {location?: Location | null}} [environment]
   */
  constructor(store, environment = {}) {
    super(store, environment);
    this.location = environment.location === undefined ? globalThis.location : environment.location;
    /** For a browser that came without a link of its own. */
    this.code = new PairingCode(
      (path, body) => this.post(path, body, "device_unknown"),
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
    this.offer = null;
    const byTicket = this.#ticket !== null && (await this.#spend(this.#ticket, mayReplace));
    this.#ticket = null;
    await this.sessionToken();
    return { user: this.user ?? "", user_id: this.user_id ?? "", byTicket, executor: this.offer };
  }

  /** The browser stays whose it is; the ticket stays good. */
  declineTicket() {
    this.#ticket = null;
  }

  /** Forgets the device key: this browser has to be paired again. */
  async forgetDevice() {
    this.device = null;
    this.session = null;
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
      if (!mayReplace && (await this.#isPaired(ticket))) return await this.#redeem(ticket);
      return await this.#pair(ticket);
    } catch (error) {
      if (!(error instanceof IdentityError && TICKET_STAYS.has(error.code))) this.#ticket = null;
      throw error;
    }
  }

  /** Whether the bridge still knows this browser; not if its user's login has ended and somebody else has just logged in. @param {string} ticket */
  async #isPaired(ticket) {
    if ((await this.store.readRecord("device", DEVICE_KEY)) === undefined) return false;
    try {
      await this.sessionToken();
      return true;
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error;
      if (error.code === "device_unknown" || (error.code === "login_ended" && ticket.startsWith(LOGIN_TICKET)))
        return false;
      throw error;
    }
  }

  /** @param {string} ticket @returns {Promise<boolean>} false: used before, too old or invented */
  async #redeem(ticket) {
    const token = await this.sessionToken();
    try {
      const { user, redeemed, printed } = await this.post("/api/tickets", { ticket }, "ticket_refused", token);
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
    const paired = await this.post("/api/devices", { ticket, public_key }, "ticket_refused");
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
    this.device = device;
    this.session = null;
    this.user_id = user_id;
  }
}
