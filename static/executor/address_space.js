// @ts-check
/** Where an address lives (Local Network Access address spaces) and what a browser thinks of it. Pure guesses by name. */

import { conclusionOf, spaceOfAddress } from "../base/networks.js";

/** @typedef {import("../types/types.d.ts").AddressSpace} AddressSpace */

/** Name endings that only exist inside a network; a name without a dot is one too. */
const LOCAL_ENDINGS = [".local", ".lan", ".home", ".internal", ".intranet", ".home.arpa"];

/** @param {string} hostname as `URL.hostname` gives it; IPv6 in brackets */
export const isAddressLiteral = (hostname) => spaceOfAddress(hostname) !== null;

/**
 * One writing for one host: no dot at the end, and IPv4 inside IPv6 as IPv4.
 * @param {string} hostname as `URL.hostname` gives it
 */
function plainHost(hostname) {
  const host = hostname.toLowerCase().replace(/\.+$/, "");
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!mapped) return host;
  const [high, low] = [parseInt(mapped[1], 16), parseInt(mapped[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/**
 * A guess by name: DNS is not visible to a page, so a public-looking name may still lead into the network.
 * @param {string} hostname
 * @returns {AddressSpace}
 */
export function addressSpace(hostname) {
  const host = plainHost(hostname);
  const space = spaceOfAddress(host);
  if (space) return space;
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return !host.includes(".") || LOCAL_ENDINGS.some((ending) => host.endsWith(ending)) ? "local" : "public";
}

/** @returns {boolean} whether fetches of this browser know `targetAddressSpace`: Chromium does, Firefox 153 does not */
export function readsAddressSpaces() {
  let isRead = false;
  const mark = () => void (isRead = true);
  new Request(
    "https://localhost/",
    /** @type {RequestInit} */ ({
      get targetAddressSpace() {
        return mark();
      },
    }),
  );
  return isRead;
}

/**
 * True when a browser may refuse this http target on an https page before sending anything. `http://localhost` is
 * allowed. Addresses of the local network are a matter of Local Network Access instead, where a fetch can say that it
 * means one; Firefox 153, where it cannot, refuses them like any other (measured).
 * @param {string} pageUrl
 * @param {string} url
 * @param {boolean} [isLocalExempt] see `readsAddressSpaces`
 */
export function mixedContent(pageUrl, url, isLocalExempt = true) {
  const target = new URL(url);
  if (new URL(pageUrl).protocol !== "https:" || target.protocol !== "http:") return false;
  const space = addressSpace(target.hostname);
  if (!isLocalExempt) return space !== "loopback";
  const isExempt = isAddressLiteral(target.hostname) || target.hostname.endsWith(".local");
  return space === "public" || (space === "local" && !isExempt);
}

/**
 * An https page may reach a named http host of the local network only when the fetch says so (measured, Chromium 156);
 * a wrong value always fails, hence null wherever it is not needed.
 * @param {string} pageUrl
 * @param {string} url
 * @returns {"local" | null}
 */
export function targetAddressSpace(pageUrl, url) {
  return mixedContent(pageUrl, url) && !isAddressLiteral(new URL(url).hostname) ? "local" : null;
}

/**
 * False where the bridge would refuse to fetch, as far as the name shows; more than the local network is not public.
 * @param {string} hostname
 */
export const isPublic = (hostname) =>
  addressSpace(hostname) === "public" && conclusionOf(plainHost(hostname)) === "public";

/** @param {URL} url */
const portOf = ({ port, protocol }) => port || (protocol === "https:" ? "443" : "80");

/**
 * One port of this machine is one server, by whatever name and scheme it is reached.
 * @param {URL} target
 * @param {URL} own
 */
function isSameServer(target, own) {
  if (portOf(target) !== portOf(own)) return false;
  const isLoopback = [target, own].every(({ hostname }) => addressSpace(hostname) === "loopback");
  return isLoopback || plainHost(target.hostname) === plainHost(own.hostname);
}

/**
 * @param {string} url
 * @param {string} ownOrigin the bridge's; "" outside a page
 * @returns {string | null} why no tool may call this address; null: it may
 */
export function forbiddenTarget(url, ownOrigin) {
  const target = new URL(url);
  if (ownOrigin && isSameServer(target, new URL(ownOrigin))) return "The bridge itself cannot be a tool's target.";
  if (conclusionOf(plainHost(target.hostname)) === "metadata")
    return "A cloud metadata service cannot be a tool's target.";
  return null;
}
