// @ts-check
/**
 * The user's secrets for APIs: encrypted under a key that cannot be read out, bound to server and origin. They never
 * leave this browser except inside the request they are for; nothing here knows the bridge.
 */

import { keysBelow } from "../base/browser_store.js";

/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {import("../types/types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("../types/types.d.ts").CredentialName} CredentialName */
/** @typedef {{server_id: string, origin: string, scheme: string, saved_at: number, iv: Uint8Array<ArrayBuffer>, sealed: ArrayBuffer}} SealedCredential */

const WRAPPING_KEY = "credential key";
const ALGORITHM = "AES-GCM";
const IV_BYTES = 12;

/** What a ciphertext is good for; a record moved to another server or origin does not open. @param {string[]} parts */
const boundTo = (...parts) => new TextEncoder().encode(JSON.stringify(parts));

export class Credentials {
  /** @param {BrowserStore} store */
  constructor(store) {
    this.store = store;
  }

  /**
   * @param {string} serverId
   * @param {string} origin scheme, host and port of the API
   * @param {string} scheme name of the security scheme, or "*" for every request of the server
   * @param {CredentialSet[string]} value
   */
  async saveCredential(serverId, origin, scheme, value) {
    const stored = await this.sealCredential(serverId, origin, scheme, value);
    await this.store.changeRecords(["credentials"], (of) => of("credentials").put(stored, [serverId, origin, scheme]));
  }

  /**
   * As it is stored, under these three as its key.
   * @param {string} serverId
   * @param {string} origin
   * @param {string} scheme
   * @param {CredentialSet[string]} value
   * @returns {Promise<SealedCredential>}
   */
  async sealCredential(serverId, origin, scheme, value) {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const additionalData = boundTo(serverId, origin, scheme);
    const plain = new TextEncoder().encode(JSON.stringify(value));
    const sealed = await crypto.subtle.encrypt(
      { name: ALGORITHM, iv, additionalData },
      await this.#wrappingKey(),
      plain,
    );
    return { server_id: serverId, origin, scheme, saved_at: Date.now(), iv, sealed };
  }

  /**
   * @param {string} serverId
   * @returns {Promise<CredentialName[]>} names only
   */
  async listCredentials(serverId) {
    /** @type {SealedCredential[]} */
    const stored = await this.store.readRecords("credentials", keysBelow([serverId]));
    return stored.map(({ origin, scheme, saved_at }) => ({ origin, scheme, saved_at }));
  }

  /**
   * @param {string} serverId
   * @param {string} origin
   * @returns {Promise<CredentialSet>} by scheme name; for the executor only
   */
  async loadCredentials(serverId, origin) {
    /** @type {SealedCredential[]} */
    const stored = await this.store.readRecords("credentials", keysBelow([serverId, origin]));
    if (stored.length === 0) return {};
    const key = await this.#wrappingKey();
    /** @type {[string, CredentialSet[string]][]} */
    const opened = [];
    for (const { scheme, iv, sealed } of stored) {
      const additionalData = boundTo(serverId, origin, scheme);
      const plain = await crypto.subtle.decrypt({ name: ALGORITHM, iv, additionalData }, key, sealed);
      opened.push([scheme, JSON.parse(new TextDecoder().decode(plain))]);
    }
    return Object.fromEntries(opened);
  }

  /** @param {string} serverId @param {string} origin @param {string} scheme */
  async removeCredential(serverId, origin, scheme) {
    await this.store.changeRecords(["credentials"], (of) => of("credentials").delete([serverId, origin, scheme]));
  }

  /** @param {string} serverId */
  async removeServer(serverId) {
    await this.store.changeRecords(["credentials"], (of) => of("credentials").delete(keysBelow([serverId])));
  }

  /**
   * Made at first use. Two tabs may race: `add` lets the first win, and both read back what was stored.
   * @returns {Promise<CryptoKey>}
   */
  async #wrappingKey() {
    const stored = await this.store.readRecord("keys", WRAPPING_KEY);
    if (stored) return stored;
    const made = await crypto.subtle.generateKey({ name: ALGORITHM, length: 256 }, false, ["encrypt", "decrypt"]);
    await this.store.changeRecords(["keys"], (of) => of("keys").add(made, WRAPPING_KEY)).catch(() => undefined);
    return (await this.store.readRecord("keys", WRAPPING_KEY)) ?? made;
  }
}
