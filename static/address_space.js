// @ts-check
/** Where an address lives (Local Network Access address spaces) and what a browser thinks of it. Pure guesses by name. */

/** @typedef {import("./types.d.ts").AddressSpace} AddressSpace */

/** Name endings that only exist inside a network; a name without a dot is one too. */
const LOCAL_ENDINGS = [".local", ".lan", ".home", ".internal", ".intranet", ".home.arpa"];

/** Non-public IPv4 blocks of the Local Network Access specification, as [first, prefix length]. */
const LOCAL_BLOCKS = /** @type {[string, number][]} */ ([
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
]);

/** @param {string} address */
const asNumber = (address) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** @param {string} host */
const isIpv4 = (host) => /^\d{1,3}(\.\d{1,3}){3}$/.test(host);

/** @param {string} hostname as `URL.hostname` gives it; IPv6 in brackets */
export const isAddressLiteral = (hostname) => isIpv4(hostname) || hostname.startsWith("[");

/** @param {string} host @returns {AddressSpace} */
function ipv4Space(host) {
  if (host.startsWith("127.") || host === "0.0.0.0") return "loopback";
  const number = asNumber(host);
  const isLocal = LOCAL_BLOCKS.some(([first, length]) => {
    const size = 2 ** (32 - length);
    return Math.floor(number / size) === Math.floor(asNumber(first) / size);
  });
  return isLocal ? "local" : "public";
}

/** @param {string} host without brackets @returns {AddressSpace} */
function ipv6Space(host) {
  if (host === "::1" || host === "::") return "loopback";
  return /^f[cd]|^fe[89ab]/.test(host) ? "local" : "public";
}

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
  if (host.startsWith("[")) return ipv6Space(host.slice(1, -1));
  if (isIpv4(host)) return ipv4Space(host);
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return !host.includes(".") || LOCAL_ENDINGS.some((ending) => host.endsWith(ending)) ? "local" : "public";
}

/**
 * True when a browser may refuse this http target on an https page before sending anything. `http://localhost` is
 * allowed; addresses of the local network are a matter of Local Network Access instead.
 * @param {string} pageUrl
 * @param {string} url
 */
export function mixedContent(pageUrl, url) {
  const target = new URL(url);
  if (new URL(pageUrl).protocol !== "https:" || target.protocol !== "http:") return false;
  const space = addressSpace(target.hostname);
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

/** Addresses that hand out the machine's own cloud identity: never a tool. */
const METADATA_HOSTS = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "[fd00:ec2::254]",
  "metadata.google.internal",
  "100.100.100.200",
]);

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
  if (METADATA_HOSTS.has(plainHost(target.hostname))) return "A cloud metadata service cannot be a tool's target.";
  return null;
}
