// @ts-check
/** Time that passes only while events are waited for, so that a history of minutes takes milliseconds and is the same each time. */

/** @typedef {{at: number, order: number, action: () => unknown}} Due */

/** Everything that follows from what has just happened has happened. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export class Clock {
  /** Milliseconds. */
  now = 0;
  #order = 0;
  /** @type {Set<Due>} */
  #due = new Set();

  /** @param {() => unknown} action @param {number} ms @returns {Due} for `clear` */
  set(action, ms) {
    return this.setAt(action, this.now + ms);
  }

  /** @param {() => unknown} action @param {number} at milliseconds @returns {Due} */
  setAt(action, at) {
    const due = { at, order: this.#order++, action };
    this.#due.add(due);
    return due;
  }

  /** @param {unknown} due */
  clear(due) {
    this.#due.delete(/** @type {Due} */ (due));
  }

  /** Until nothing is due, or this moment. @param {number} until milliseconds */
  async run(until) {
    await settle();
    for (let next = this.#first(); next && next.at <= until; next = this.#first()) {
      this.#due.delete(next);
      this.now = next.at;
      await next.action();
      await settle();
    }
  }

  /** @returns {Due | null} */
  #first() {
    let first = null;
    for (const due of this.#due) if (!first || due.at < first.at || (due.at === first.at && due.order < first.order)) first = due;
    return first;
  }
}
