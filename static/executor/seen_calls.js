// @ts-check
/** Which calls have arrived, and the last attempt of each, so that a call sent twice is run once. Pure. */

export const REMEMBERED_CALLS = 1000;

/** @typedef {{call_id: string, attempt: number}} Attempt */

export class SeenCalls {
  /** The last attempt of each call, oldest call first. @type {Map<string, number>} */
  #attempts = new Map();

  /** Whether this attempt has not arrived before; from now on it has. @param {Attempt} call */
  take({ call_id, attempt }) {
    const last = this.#attempts.get(call_id) ?? 0;
    this.#attempts.set(call_id, Math.max(attempt, last));
    if (this.#attempts.size > REMEMBERED_CALLS)
      this.#attempts.delete(/** @type {string} */ (this.#attempts.keys().next().value));
    return attempt > last;
  }

  /** As if this attempt had never arrived. @param {Attempt} call */
  forget({ call_id, attempt }) {
    if (this.#attempts.get(call_id) === attempt) this.#attempts.set(call_id, attempt - 1);
  }
}
