// @ts-check
/**
 * What this page could read of each API, and when: whoever sets up CORS lets a page read good answers, and often forgets errors.
 * Method and names of headers only; no paths, values or answers. It is stored below the server that was called, and goes with it.
 */

import { keysBelow } from "../base/browser_store.js";
import { askedHeaders } from "../request/preflight.js";

/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/types.d.ts").PastRead} PastRead */

/** A persisted name. */
const STORE = "keys";
const PLACE = "readable answers";

/** Kept of one server; the oldest go. Chosen: an API has a few methods and sets of headers. */
export const MAX_READS = 40;
/** Names of headers kept of one request, and characters of one; who sends more is not remembered. */
const MAX_HEADERS = 30;
const MAX_NAME_CHARS = 100;
/** Milliseconds for which it counts: an API that was read a month ago may be another one. */
export const MAX_AGE_MS = 30 * 24 * 3600 * 1000;
/** Milliseconds in which the same request is written down once, so that a loop of calls writes nothing. */
const WRITTEN_MS = 10_000;

/** Where the reads of a server are, among the keys. @param {string} serverId */
export const readsOfServer = (serverId) => [PLACE, serverId];

/** @param {PastRead} read */
const sameness = ({ origin, method, headers }) => JSON.stringify([origin, method, headers]);

/** In place of the same one before; newest first. @param {PastRead[]} reads @param {PastRead} read */
export function withRead(reads, read) {
  const others = reads.filter((each) => sameness(each) !== sameness(read) && read.at - each.at < MAX_AGE_MS);
  return [read, ...others].slice(0, MAX_READS);
}

export class ReadHistory {
  /** When each was written, by server and request. @type {Map<string, number>} */
  #written = new Map();
  #writing = Promise.resolve();

  /** @param {Pick<BrowserStore, "readRecord" | "readRecords" | "changeRecords">} store @param {() => number} [now] milliseconds since the epoch */
  constructor(store, now = () => Date.now()) {
    this.store = store;
    this.now = now;
  }

  /**
   * An answer to this request could be read. What cannot be stored is not remembered.
   * @param {string} serverId
   * @param {Pick<BuiltRequest, "method" | "url" | "headers">} request
   * @returns {Promise<void>}
   */
  noteRead(serverId, { method, url, headers }) {
    const read = { origin: new URL(url).origin, method, headers: askedHeaders(headers), at: this.now() };
    const isBounded = read.headers.length <= MAX_HEADERS && read.headers.every((name) => name.length <= MAX_NAME_CHARS);
    const key = `${serverId} ${sameness(read)}`;
    if (!isBounded || read.at - (this.#written.get(key) ?? -Infinity) < WRITTEN_MS) return this.#writing;
    if (this.#written.size >= MAX_READS) this.#written.clear();
    this.#written.set(key, read.at);
    this.#writing = this.#writing.then(() => this.#write(serverId, read)).catch(() => undefined);
    return this.#writing;
  }

  /** Of all servers that call it. @param {string} origin @returns {Promise<PastRead[]>} newest first */
  async listReads(origin) {
    await this.#writing;
    /** @type {PastRead[][]} */
    const all = await this.store.readRecords(STORE, keysBelow([PLACE])).catch(() => []);
    const oldest = this.now() - MAX_AGE_MS;
    return all
      .flat()
      .filter((read) => read.origin === origin && read.at > oldest)
      .sort((a, b) => b.at - a.at);
  }

  /** A server that was removed meanwhile gets none. @param {string} serverId @param {PastRead} read */
  async #write(serverId, read) {
    const [reads, server] = await Promise.all([
      this.store.readRecord(STORE, readsOfServer(serverId)),
      this.store.readRecord("servers", serverId),
    ]);
    if (!server) return;
    await this.store.changeRecords(
      [STORE],
      (of) => void of(STORE).put(withRead(reads ?? [], read), readsOfServer(serverId)),
    );
  }
}
