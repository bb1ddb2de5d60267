// @ts-check
/** What a host is, as far as its name or address shows. Pure. */

/** Cloud metadata services by name; static/base/network_table.js has the same. */
const METADATA_NAMES = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata",
  "instance-data.ec2.internal",
  "instance-data",
  "metadata.tencentyun.com",
  "api.metadata.cloud.ibm.com",
]);
/** Those by address outside 169.254.0.0/16, and fe80::/10, which are refused whole. */
const METADATA_IPV4 = new Set(["100.100.100.200", "168.63.129.16", "192.0.0.192"]);
const METADATA_IPV6 = new Set([
  "[fd00:ec2::254]",
  "[fd00:ec2::23]",
  "[fd20:ce::254]",
  "[fd00:c1::a9fe:a9fe]",
  "[fd00:100::100:200]",
  "[fd00:42::42]",
  "[fd00:a9fe:a9fe::1]",
]);
const IPV6_GROUPS = 8;

/** @param {string} hostname as `URL.hostname` gives it */
const plainHost = (hostname) => hostname.toLowerCase().replace(/\.+$/, "");

/** @param {string} host an IPv6 address in brackets, as `URL.hostname` gives it @returns {number[]} */
function groupsOf(host) {
  const [head, tail] = host
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter(Boolean));
  const zeros = tail ? Array(IPV6_GROUPS - head.length - tail.length).fill("0") : [];
  return [...head, ...zeros, ...(tail ?? [])].map((group) => parseInt(group, 16));
}

/** @param {number} high @param {number} low */
const asIpv4 = (high, low) => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** Every IPv4 address that an IPv6 address may carry, wherever its network puts it, also inverted. @param {string} host */
function carriedAddresses(host) {
  const groups = groupsOf(host);
  const pairs = groups.slice(1).map((low, index) => [groups[index], low]);
  return pairs.flatMap(([high, low]) => [asIpv4(high, low), asIpv4(high ^ 0xffff, low ^ 0xffff)]);
}

/** @param {string} address */
const isMetadataIpv4 = (address) => address.startsWith("169.254.") || METADATA_IPV4.has(address);

/** A metadata service of a cloud, or an address that is valid on one cable only, where such services live. @param {string} hostname as `URL.hostname` gives it */
export function isMetadataHost(hostname) {
  const host = plainHost(hostname);
  if (!host.startsWith("[")) return METADATA_NAMES.has(host) || isMetadataIpv4(host);
  return (
    METADATA_IPV6.has(host) || (groupsOf(host)[0] & 0xffc0) === 0xfe80 || carriedAddresses(host).some(isMetadataIpv4)
  );
}

/** @param {string} hostname as `URL.hostname` gives it */
export function isLoopbackHost(hostname) {
  const host = plainHost(hostname);
  if (host === "localhost" || host.endsWith(".localhost") || host === "0.0.0.0" || host === "[::]" || host === "[::1]")
    return true;
  return /^127(\.\d{1,3}){3}$/.test(host) || /^\[::ffff:7f[0-9a-f]{2}:/.test(host);
}

/** @param {URL} url */
const portOf = ({ port, protocol }) => port || (protocol === "https:" ? "443" : "80");

/** One port of this machine is one server, by whatever name and scheme it is reached. @param {URL} one @param {URL} other */
export function isSameServer(one, other) {
  if (portOf(one) !== portOf(other)) return false;
  if (isLoopbackHost(one.hostname) && isLoopbackHost(other.hostname)) return true;
  return plainHost(one.hostname) === plainHost(other.hostname);
}

/** Whether it is written as the origin of an http or https address. @param {unknown} text @returns {text is string} */
export function isOrigin(text) {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.origin === text;
}

/** Whether nobody on the way can answer in its place. @param {string} origin */
export function isSecureOrigin(origin) {
  const { protocol, hostname } = new URL(origin);
  return protocol === "https:" || isLoopbackHost(hostname);
}
