// @ts-check
/** State that others watch: it calls them after every change. */

export class Announcing extends EventTarget {
  /** @param {() => void} callback called after every change @returns {() => void} ends it */
  onChange(callback) {
    this.addEventListener("change", callback);
    return () => this.removeEventListener("change", callback);
  }

  announceChange() {
    this.dispatchEvent(new Event("change"));
  }
}
