// @ts-check
/** Where the time of one call goes in the page, for the bridge's figures. Pure but for the clock it is given. */

/** @typedef {import("../types/types.d.ts").PagePhases} PagePhases */

export class PhaseClock {
  /** @type {PagePhases} */
  #phases = { prepare_ms: 0 };
  /** @type {keyof PagePhases} */
  #current = "prepare_ms";

  /** @param {() => number} now monotonic milliseconds */
  constructor(now) {
    this.now = now;
    this.since = now();
  }

  /** Ends the phase that runs. @param {keyof PagePhases} phase the next one */
  begin(phase) {
    this.read();
    this.#current = phase;
    this.#phases[phase] ??= 0;
  }

  /** Milliseconds of the phases until now. @returns {PagePhases} */
  read() {
    const now = this.now();
    this.#phases[this.#current] = Math.round(((this.#phases[this.#current] ?? 0) + now - this.since) * 100) / 100;
    this.since = now;
    return { ...this.#phases };
  }
}
