// @ts-check
/** How much one bridge may say, and have performed at a time and a second. Pure but for its clock. */

import { BURST_CALLS, CALLS_PER_SECOND, PARALLEL_CALLS } from "./protocol.js";

/** Maximum bytes of bodies that wait to be sent, of one bridge. */
const WAITING_BYTES = 67_108_864;

/** So many a second, and some at once. */
class TokenBucket {
  #tokens = BURST_CALLS;

  /** @param {() => number} now milliseconds */
  constructor(now) {
    this.now = now;
    this.last = now();
  }

  /** @returns {boolean} whether there was one */
  takeToken() {
    const now = this.now();
    this.#tokens = Math.min(BURST_CALLS, this.#tokens + (Math.max(0, now - this.last) * CALLS_PER_SECOND) / 1000);
    this.last = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

export class CallRate {
  #running = 0;
  #bytes = 0;

  /** @param {() => number} now milliseconds */
  constructor(now) {
    this.calls = new TokenBucket(now);
    this.messages = new TokenBucket(now);
  }

  /** Of every other message. @returns {boolean} false: too many */
  takeMessage() {
    return this.messages.takeToken();
  }

  /** @param {number} bytes of the call's body @returns {boolean} false: too much; true: `endCall` must follow */
  beginCall(bytes) {
    if (this.#running >= PARALLEL_CALLS || this.#bytes + bytes > WAITING_BYTES || !this.calls.takeToken()) return false;
    this.#running += 1;
    this.#bytes += bytes;
    return true;
  }

  /** @param {number} bytes as at its beginning */
  endCall(bytes) {
    this.#running -= 1;
    this.#bytes -= bytes;
  }
}
