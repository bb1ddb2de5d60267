// @ts-check
/** The conversation with the companion extension, over a port that its relay holds: greeted, kept awake, begun anew. */

import { PING_MS, PROTOCOL, READY_MS } from "./protocol.js";

/** @typedef {import("../types/companion_types.d.ts").LinkPort} LinkPort */
/** @typedef {import("../types/companion_types.d.ts").Standing} Standing */
/** @typedef {import("../types/companion_types.d.ts").AnswerMessage} AnswerMessage */
/** @typedef {import("../types/companion_types.d.ts").CompanionMessage} CompanionMessage */
/** @typedef {import("../types/companion_types.d.ts").PageMessage} PageMessage */
/** @typedef {import("../types/companion_types.d.ts").Timers} Timers */
/** @typedef {(message: AnswerMessage) => void} Listener */

/** Milliseconds that a lost companion has to tell what it sent. */
const DID_MS = 2000;

/** @type {Timers} */
const CLOCK = {
  set: (...about) => setTimeout(...about),
  clear: (timer) => clearTimeout(/** @type {number} */ (timer)),
};

/** There is no conversation. `code`: missing, or that of the companion's refusal. */
export class LinkError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = "LinkError";
    this.code = code;
  }
}

export class CompanionLink {
  /** @type {LinkPort | null} */
  #port = null;
  /** @type {Standing | null} */
  #standing = null;
  /** @type {Promise<Standing> | null} */
  #opening = null;
  /** By id of the call or question. @type {Map<string, Listener>} */
  #listeners = new Map();
  /** @type {unknown} */
  #pinging = null;
  #wasHeard = true;

  /**
   * @param {() => Promise<LinkPort> | LinkPort} openPort  a fresh port, whether or not anybody is at its other end
   * @param {{timers?: Timers, changed?: (standing: Standing | null) => void}} [more]  `changed`: null: it has ended
   */
  constructor(openPort, { timers = CLOCK, changed = () => undefined } = {}) {
    this.openPort = openPort;
    this.timers = timers;
    this.changed = changed;
  }

  /** @returns {Promise<Standing>} @throws {LinkError} after a second at the latest */
  open() {
    if (this.#standing) return Promise.resolve(this.#standing);
    this.#opening ??= this.#connect().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /**
   * Every message about an id, until it is forgotten; `lost` is the last one, if the port ends before that.
   * @param {string} id @param {Listener} listener
   */
  listen(id, listener) {
    this.#listeners.set(id, listener);
    this.#pinging ??= this.timers.set(() => this.#ping(), PING_MS);
  }

  /** @param {string} id */
  forget(id) {
    this.#listeners.delete(id);
    if (this.#listeners.size === 0) this.#stopPinging();
  }

  /** Lost if the port has ended. @param {PageMessage} message @param {Transferable[]} [transfer] */
  post(message, transfer = []) {
    this.#port?.postMessage(message, transfer);
  }

  /** What the companion knows of a call whose port was lost; it will not send it any more. @param {string} id @returns {Promise<{state: string, epoch: string} | null>} null: nobody says */
  async askDid(id) {
    const standing = await this.open().catch(() => null);
    if (!standing) return null;
    const { promise, resolve } = Promise.withResolvers();
    const timer = this.timers.set(() => resolve(null), DID_MS);
    this.listen(id, (message) => resolve(message.type === "was" ? message : null));
    this.post({ type: "did", id });
    const was = await promise;
    this.timers.clear(timer);
    this.forget(id);
    return was;
  }

  /** Ends it: what runs is aborted by the companion. */
  close() {
    this.#end(this.#port);
  }

  /** @returns {Promise<Standing>} */
  async #connect() {
    const port = await this.openPort();
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<Standing>} */ (Promise.withResolvers());
    const missing = () => reject(new LinkError("missing", "The companion extension does not answer."));
    const timer = this.timers.set(missing, READY_MS);
    port.onmessage = ({ data }) => {
      if (data?.type === "ready") resolve({ version: data.version, epoch: data.epoch, grants: data.grants });
      else if (data?.type === "refused") reject(new LinkError(data.code, data.message));
      else missing();
    };
    port.postMessage({ type: "hello", protocols: [PROTOCOL] });
    try {
      return this.#begin(port, await promise);
    } catch (error) {
      port.onmessage = null;
      port.close();
      throw error;
    } finally {
      this.timers.clear(timer);
    }
  }

  /** @param {LinkPort} port @param {Standing} standing */
  #begin(port, standing) {
    this.#port = port;
    this.#standing = standing;
    this.#wasHeard = true;
    port.onmessage = ({ data }) => this.#receive(port, data);
    this.changed(standing);
    return standing;
  }

  /** @param {LinkPort} port @param {CompanionMessage} message */
  #receive(port, message) {
    if (port !== this.#port) return;
    this.#wasHeard = true;
    if (message.type === "gone") return this.#end(port);
    if (message.type === "changed" && this.#standing) {
      this.#standing = { ...this.#standing, grants: message.grants };
      this.changed(this.#standing);
    }
    if ("id" in message) this.#listeners.get(message.id)?.(message);
  }

  /** @param {LinkPort | null} port */
  #end(port) {
    if (port === null || port !== this.#port) return;
    port.onmessage = null;
    port.close();
    this.#port = this.#standing = null;
    this.#stopPinging();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const [id, listener] of listeners) listener({ type: "lost", id });
    this.changed(null);
  }

  /** A companion that hears nothing is stopped by the browser; one that does not answer was. */
  #ping() {
    this.#pinging = null;
    if (!this.#wasHeard) return this.#end(this.#port);
    this.#wasHeard = false;
    this.post({ type: "ping" });
    this.#pinging = this.timers.set(() => this.#ping(), PING_MS);
  }

  #stopPinging() {
    this.timers.clear(this.#pinging);
    this.#pinging = null;
    this.#wasHeard = true;
  }
}
