// @ts-check
/** Bytes in pieces, in both directions, with at most a window of them unacknowledged. Pure. */

import { CHUNK_BYTES, WINDOW_CHUNKS } from "./protocol.js";

/** @param {Uint8Array} bytes @returns {Generator<ArrayBuffer>} */
export function* splitBytes(bytes) {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES)
    yield/** @type {ArrayBuffer} */ (bytes.slice(start, start + CHUNK_BYTES).buffer);
}

/** Lets a sender go on while its receiver keeps up. */
export class SendWindow {
  #next = 0;
  #acknowledged = -1;
  /** @type {(() => void) | null} */
  #resume = null;

  /** @param {number} seq everything up to and with it has arrived */
  acknowledge(seq) {
    if (seq >= this.#next || seq <= this.#acknowledged) return;
    this.#acknowledged = seq;
    this.#resume?.();
  }

  /** @param {AbortSignal} signal @returns {Promise<number>} the number of the next piece, once it may be sent @throws the signal's reason */
  async claimNext(signal) {
    while (this.#next - this.#acknowledged > WINDOW_CHUNKS) await this.#nextAcknowledgement(signal);
    signal.throwIfAborted();
    return this.#next++;
  }

  /** @param {AbortSignal} signal @returns {Promise<void>} */
  async #nextAcknowledgement(signal) {
    const { promise, resolve } = Promise.withResolvers();
    this.#resume = () => resolve(undefined);
    signal.addEventListener("abort", this.#resume, { once: true });
    if (signal.aborted) resolve(undefined);
    await promise;
    signal.removeEventListener("abort", this.#resume);
    signal.throwIfAborted();
  }
}

/** A body that arrives in parts. */
export class IncomingBody {
  #next = 0;
  #bytes = 0;
  /** @type {PromiseWithResolvers<Uint8Array<ArrayBuffer>>} */
  #whole = Promise.withResolvers();

  /** @param {number} size bytes in all */
  constructor(size) {
    this.content = new Uint8Array(size);
    if (size === 0) this.#whole.resolve(this.content);
  }

  /** @param {number} seq @param {ArrayBuffer} bytes @returns {boolean} false: it is not the next part, or more than was announced */
  addPart(seq, bytes) {
    if (seq !== this.#next || bytes.byteLength === 0 || this.#bytes + bytes.byteLength > this.content.byteLength)
      return false;
    this.content.set(new Uint8Array(bytes), this.#bytes);
    this.#next += 1;
    this.#bytes += bytes.byteLength;
    if (this.#bytes === this.content.byteLength) this.#whole.resolve(this.content);
    return true;
  }

  /** @param {AbortSignal} signal @returns {Promise<Uint8Array<ArrayBuffer>>} @throws the signal's reason */
  async wholeBody(signal) {
    signal.throwIfAborted();
    const aborted = new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
    return /** @type {Promise<Uint8Array<ArrayBuffer>>} */ (Promise.race([this.#whole.promise, aborted]));
  }
}
