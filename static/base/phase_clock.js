// @ts-check
/** How long each phase of one call takes in the page, for the bridge's figures. Pure but for the clock it is given. */

export class PhaseClock {
  /** Milliseconds of each phase so far; the last one runs. */
  #phases = [0];

  /** @param {() => number} now monotonic milliseconds */
  constructor(now) {
    this.now = now;
    this.since = now();
  }

  /** Ends the phase that runs. */
  beginNext() {
    this.read();
    this.#phases.push(0);
  }

  /** The phases until now, in their order. @returns {number[]} */
  read() {
    const now = this.now();
    const before = this.#phases.pop() ?? 0;
    this.#phases.push(Math.round((before + now - this.since) * 100) / 100);
    this.since = now;
    return [...this.#phases];
  }
}
