// @ts-check
/**
 * What the browser's network says of our own fetches and `fetch` does not: error names, and where a redirect leads.
 *
 * Each fetch has a fragment of its own, which the events carry and no server sees. The events come on another way than the
 * fetch's answer and may be later than it.
 */

import { plainName } from "./net_errors.js";

/** @typedef {{addListener: (listener: (details: any) => void, filter: object, more?: string[]) => void}} NetEvent */
/** @typedef {{status: number, status_text: string, headers: [string, string][], location: string | null, ip: string | null}} Redirect */
/** @typedef {{redirect: PromiseWithResolvers<Redirect | null>, error: PromiseWithResolvers<string>, ip: PromiseWithResolvers<string | null>}} Watched what is known of one fetch */

/** Maximum milliseconds that an event is waited for, and that of the peer's address, without which nothing is told. */
const EVENT_MS = 1000;
const ADDRESS_MS = 5000;
const FRAGMENT = /#tb-[\w-]+$/;
const FILTER = { urls: ["http://*/*", "https://*/*"], tabId: -1 };

/** @param {string} line as in "HTTP/1.1 302 Found" */
const statusTextOf = (line) => line.split(" ").slice(2).join(" ");

/** @param {string} location @param {string} url @returns {string | null} absolute */
function resolveLocation(location, url) {
  const base = url.replace(FRAGMENT, "");
  return URL.canParse(location, base) ? new URL(location, base).href : null;
}

/** @param {chrome.webRequest.HttpHeaders | undefined} headers @returns {[string, string][]} */
function readHeaders(headers = []) {
  const all = headers.map(({ name, value = "" }) => /** @type {[string, string]} */ ([name.toLowerCase(), value]));
  return all.filter(([name]) => name !== "set-cookie");
}

export class NetWatch {
  /** @type {Map<string, Watched>} */
  #watched = new Map();

  /** `redirects`: tells of them, at least. @param {Record<"redirects" | "onResponseStarted" | "onErrorOccurred", NetEvent>} webRequest @param {(ms: number) => Promise<unknown>} pause */
  constructor(webRequest, pause) {
    this.pause = pause;
    webRequest.redirects.addListener((details) => this.#redirected(details), FILTER, ["responseHeaders"]);
    webRequest.onResponseStarted.addListener((details) => this.#find(details)?.ip.resolve(details.ip ?? null), FILTER);
    webRequest.onErrorOccurred.addListener(
      (details) => this.#find(details)?.error.resolve(plainName(details.error)),
      FILTER,
    );
  }

  /** @param {string} fragment with its "#" */
  watchFetch(fragment) {
    this.#watched.set(fragment, {
      redirect: Promise.withResolvers(),
      error: Promise.withResolvers(),
      ip: Promise.withResolvers(),
    });
  }

  /** @param {string} fragment */
  forgetFetch(fragment) {
    this.#watched.delete(fragment);
  }

  /** @param {string} fragment @returns {Promise<Redirect | null>} null: the browser did not tell in time */
  async redirectOf(fragment) {
    return this.#inTime(this.#watched.get(fragment)?.redirect.promise, null);
  }

  /** @param {string} fragment @returns {Promise<string>} "unnamed": the browser did not tell in time */
  async errorOf(fragment) {
    return this.#inTime(this.#watched.get(fragment)?.error.promise, "unnamed");
  }

  /** The peer's. @param {string} fragment @returns {Promise<string | null | undefined>} null: the browser knows none, as behind some proxies; undefined: it did not tell in time */
  async addressOf(fragment) {
    return this.#inTime(this.#watched.get(fragment)?.ip.promise, undefined, ADDRESS_MS);
  }

  /** @template T @template O @param {Promise<T> | undefined} told @param {O} otherwise @returns {Promise<T | O>} */
  #inTime(told, otherwise, ms = EVENT_MS) {
    return Promise.race([told ?? otherwise, this.pause(ms).then(() => otherwise)]);
  }

  /** @param {{url: string}} details */
  #find({ url }) {
    return this.#watched.get(FRAGMENT.exec(url)?.[0] ?? "");
  }

  /** @param {{url: string, ip?: string, statusCode: number, statusLine: string, responseHeaders?: chrome.webRequest.HttpHeaders}} details */
  #redirected(details) {
    const { statusCode: status, statusLine, responseHeaders, url, ip = null } = details;
    const headers = readHeaders(responseHeaders);
    const target = headers.find(([name]) => name === "location")?.[1];
    const location = target === undefined ? null : resolveLocation(target, url);
    const isRedirect = status >= 300 && status < 400;
    if (isRedirect)
      this.#find(details)?.redirect.resolve({ status, status_text: statusTextOf(statusLine), headers, location, ip });
  }
}
