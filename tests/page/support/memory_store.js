// @ts-check
/** IndexedDB as a Map, as far as the journal uses it: `add` refuses what is there, a refused change changes nothing. */
import { StoreError } from "../../../static/base/browser_store.js";

globalThis.IDBKeyRange ??= /** @type {any} */ ({ bound: (/** @type {string[]} */ [first]) => first });

export class MemoryStore {
  /** @type {Map<string, any>} */
  rows = new Map();
  /** It was deleted, or the browser has none. */
  isBroken = false;
  /** It can be read, and takes nothing more. */
  isFull = false;

  /** @param {string} _store @param {string[]} key */
  async readRecord(_store, key) {
    if (this.isBroken) throw new StoreError("full");
    return this.rows.get(JSON.stringify(key));
  }

  /** @param {string} _store @param {string} first */
  async readRecords(_store, first) {
    if (this.isBroken) throw new StoreError("full");
    return [...this.rows].flatMap(([key, value]) => (JSON.parse(key)[0] === first ? [value] : []));
  }

  /** @param {string[]} _stores @param {(of: () => any) => void} change */
  async changeRecords(_stores, change) {
    if (this.isBroken || this.isFull) throw new StoreError("full");
    const next = new Map(this.rows);
    const put = (/** @type {any} */ value, /** @type {string[]} */ key) => void next.set(JSON.stringify(key), structuredClone(value));
    const add = (/** @type {any} */ value, /** @type {string[]} */ key) => {
      if (next.has(JSON.stringify(key))) throw new StoreError(Object.assign(new Error("there"), { name: "ConstraintError" }));
      put(value, key);
    };
    change(() => ({ put, add, delete: (/** @type {string[]} */ key) => next.delete(JSON.stringify(key)) }));
    this.rows = next;
  }
}

/** Web Locks whose holders can die. */
export class MemoryLocks {
  /** @type {Set<string>} */
  held = new Set();

  /** @param {string} name @param {() => unknown} hold */
  async request(name, hold) {
    this.held.add(name);
    return hold();
  }

  async query() {
    return { held: [...this.held].map((name) => ({ name })) };
  }
}
