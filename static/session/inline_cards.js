// @ts-check
/** The waiting calls that a view shows at their own place: the panel above every view leaves them out. State as data, no DOM. */

export class InlineCards extends EventTarget {
  /** @type {Set<string>} */
  #ids = new Set();

  /** @param {Iterable<string>} callIds all that are shown so now */
  show(callIds) {
    const ids = new Set(callIds);
    if (ids.size === this.#ids.size && [...ids].every((id) => this.#ids.has(id))) return;
    this.#ids = ids;
    this.dispatchEvent(new CustomEvent("change"));
  }

  /** @param {string} callId */
  has(callId) {
    return this.#ids.has(callId);
  }

  /** @param {() => void} callback @returns {() => void} ends it */
  onChange(callback) {
    this.addEventListener("change", callback);
    return () => this.removeEventListener("change", callback);
  }
}
