// @ts-check
/** How much one bridge may have performed at a time and a second. Pure but for its clock. */

import { BURST_CALLS, CALLS_PER_SECOND, PARALLEL_CALLS } from "./protocol.js";

/** Maximum bytes of bodies that wait to be sent, of one bridge. */
const WAITING_BYTES = 67_108_864;

export class CallRate {
  #tokens = BURST_CALLS;
  #running = 0;
  #bytes = 0;

  /** @param {() => number} now milliseconds */
  constructor(now) {
    this.now = now;
    this.last = now();
  }

  /** @param {number} bytes of the call's body @returns {boolean} false: too much; true: `endCall` must follow */
  beginCall(bytes) {
    const now = this.now();
    this.#tokens = Math.min(BURST_CALLS, this.#tokens + (Math.max(0, now - this.last) * CALLS_PER_SECOND) / 1000);
    this.last = now;
    if (this.#tokens < 1 || this.#running >= PARALLEL_CALLS || this.#bytes + bytes > WAITING_BYTES) return false;
    this.#tokens -= 1;
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
