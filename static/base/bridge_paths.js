// @ts-check
/**
 * Where the bridge is on its origin: below a path prefix, other programs and other bridges share the origin and what the
 * browser stores for it. Pure but for the address of this module.
 */

/** Every address of a file of the page has it behind the prefix. */
const FILES = "/static/";

/**
 * @param {string} url of a file of the page
 * @returns {string} the path prefix, such as `/bridge`; empty: the bridge has the origin for itself
 */
export function prefixOf(url) {
  const { protocol, pathname } = new URL(url);
  return /^https?:$/.test(protocol) ? pathname.slice(0, Math.max(pathname.lastIndexOf(FILES), 0)) : "";
}

export const PREFIX = prefixOf(import.meta.url);

/** @param {string} path as the bridge names it @returns {string} as this page reaches it */
export const bridgePath = (path) => PREFIX + path;

/**
 * The name under which the browser has something of this bridge, be it stored, a lock or a channel. Without a prefix it is the
 * name itself, which must never change.
 * @param {string} name
 * @param {string} [prefix]
 */
export const ownName = (name, prefix = PREFIX) => (prefix === "" ? name : `${prefix}:${name}`);

/** Where pages open their sockets. */
export const SOCKET_PATH = bridgePath("/ws/socket.io");
