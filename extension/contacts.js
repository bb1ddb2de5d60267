// @ts-check
/**
 * Which origins may have an open connection. A browser that loses a kept connection sends the request again over a new
 * one; if that is refused, "connection refused" is all it says, though the server has read the request. So such names
 * prove something only about an origin that has not answered in this session yet.
 */

/** @typedef {{get: (keys: string[]) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>}} Storage */

export class Contacts {
  /** @type {Set<string>} */
  #origins = new Set();

  /** @param {Storage} storage that lives as long as the browser's session */
  constructor(storage) {
    this.storage = storage;
  }

  async loadContacts() {
    const { contacts = [] } = await this.storage.get(["contacts"]);
    this.#origins = new Set(contacts);
  }

  /** @param {string} origin */
  hasContact(origin) {
    return this.#origins.has(origin);
  }

  /** Settles when it is written down. @param {string} origin to which a connection was made, or may have been */
  async noteContact(origin) {
    if (this.#origins.has(origin)) return;
    this.#origins.add(origin);
    await this.storage.set({ contacts: [...this.#origins] }).catch(() => undefined);
  }
}
