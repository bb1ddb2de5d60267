// @ts-check
/**
 * IndexedDB as promises: what this browser stores between visits. Knows names of stores, not what is in them.
 *
 * Which user's browser it is stands in a database of its own; what a user accepted and his secrets stand in one per
 * user, so that they never serve another.
 */

import { ownName } from "./bridge_paths.js";

const DATABASE = ownName("tool-bridge");
const VERSION = 4;

/** device: the key of this browser. */
const DEVICE_STORES = ["device"];
/**
 * keys: by name, with what could be read of the APIs of each server · servers and pins: what the user accepted · credentials: encrypted secrets · references: what was
 * decided about the documents that a server's document refers to · calls: the journal · grants: operations that need not
 * ask · transports: APIs that are not called by the page itself.
 */
const USER_STORES = ["keys", "servers", "pins", "credentials", "references", "calls", "grants", "transports"];

/** @typedef {"device" | "keys" | "servers" | "pins" | "credentials" | "references" | "calls" | "grants" | "transports"} StoreName */
/** @typedef {string | string[]} Key */

/** The browser stores nothing for this page. `code` is always browser_storage_unavailable. */
export class StoreError extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super("This browser does not let the page store data. Leave private mode, or allow site storage for this page.");
    this.name = "StoreError";
    this.code = "browser_storage_unavailable";
    this.cause = cause;
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settleRequest(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new StoreError(request.error));
  });
}

/** All keys that begin with these parts. @param {string[]} beginning */
export const keysBelow = (beginning) => IDBKeyRange.bound(beginning, [...beginning, []]);

export class BrowserStore {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
  }

  /**
   * @param {StoreName} store
   * @param {Key} key
   * @returns {Promise<any>} undefined when there is nothing
   */
  readRecord(store, key) {
    return settleRequest(this.database.transaction(store).objectStore(store).get(key));
  }

  /**
   * @param {StoreName} store
   * @param {IDBKeyRange} [range]
   * @returns {Promise<any[]>}
   */
  readRecords(store, range) {
    return settleRequest(this.database.transaction(store).objectStore(store).getAll(range));
  }

  /**
   * All changes become visible together, or none does: also when `change` throws, which is thrown then.
   * @param {StoreName[]} stores
   * @param {(of: (store: StoreName) => IDBObjectStore) => void} change must not wait for anything
   * @returns {Promise<void>} settles when the change is durable
   */
  changeRecords(stores, change) {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(stores, "readwrite");
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(new StoreError(transaction.error));
      try {
        change((store) => transaction.objectStore(store));
      } catch (error) {
        reject(error); // first: aborting rejects as well
        transaction.abort();
      }
    });
  }

  close() {
    this.database.close();
  }
}

/** @throws {StoreError} */
export const openDeviceStore = () => openDatabase(DATABASE, DEVICE_STORES);

/** @param {string} userId @throws {StoreError} */
export const openUserStore = (userId) => openDatabase(`${DATABASE}:${userId}`, USER_STORES);

/** Deletes all that is stored for a user; open stores of other tabs close for it. @param {string} userId @returns {Promise<void>} */
export function deleteUserStore(userId) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`${DATABASE}:${userId}`);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(new StoreError(request.error));
  });
}

/**
 * @param {string} name
 * @param {string[]} stores
 * @returns {Promise<BrowserStore>}
 */
async function openDatabase(name, stores) {
  if (!globalThis.indexedDB) throw new StoreError("no IndexedDB");
  try {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = () => {
      const missing = stores.filter((name) => !request.result.objectStoreNames.contains(name));
      for (const name of missing) request.result.createObjectStore(name);
    };
    const database = await settleRequest(request);
    database.onversionchange = () => database.close(); // A newer page in another tab must not wait for this one.
    return new BrowserStore(database);
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(error);
  }
}
