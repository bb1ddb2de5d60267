// @ts-check
/** What an address is, by the table of networks. Pure; bridge/documents/networks.py decides alike. */

import { METADATA_NAMES, NETWORKS } from "./network_table.js";

/** @typedef {import("../types/types.d.ts").Network} Network */
/** @typedef {{bits: 32 | 128, value: bigint}} Address */

/** Of several conclusions about one address the last one counts. */
const SEVERITY = /** @type {const} */ (["public", "private", "metadata"]);

/** The half of an interface identifier before an IPv4 address, in any network (RFC 5214, section 6.1). */
const ISATAP = 0x5efen;
const ISATAP_MASK = 0xfcffffffn;
const IPV4_MASK = 0xffffffffn;

const ROWS = NETWORKS.map(rowOf).sort((one, other) => other.length - one.length);

/** @param {Network} network */
function rowOf(network) {
  const [first, length] = network.cidr.split("/");
  const address = first.includes(":") ? parseIpv6(first) : parseIpv4(first);
  return { ...network, ...address, length: Number(length) };
}

/** @param {string} text @returns {Address} */
function parseIpv4(text) {
  return { bits: 32, value: text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
}

/** @param {string} text without brackets, all of it in hexadecimal @returns {Address} */
function parseIpv6(text) {
  const [head, tail] = text.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = tail ? Array(8 - head.length - tail.length).fill("0") : [];
  const groups = [...head, ...zeros, ...(tail ?? [])];
  return { bits: 128, value: groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n) };
}

/** @param {string} host as `URL.hostname` gives it: every address in one writing @returns {Address | null} */
function addressOf(host) {
  if (host.startsWith("[")) return parseIpv6(host.slice(1, -1));
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) ? parseIpv4(host) : null;
}

/** @param {Address} address */
const rowsAround = ({ bits, value }) =>
  ROWS.filter((row) => row.bits === bits && (value ^ row.value) >> BigInt(bits - row.length) === 0n);

/** @param {NonNullable<Network["carries"]>[number]} carried @param {bigint} value */
function joinPieces({ pieces, flipped }, value) {
  const found = pieces.reduce((sum, [start, stop]) => {
    const width = BigInt(stop - start);
    return (sum << width) | BigInt.asUintN(stop - start, value >> BigInt(128 - stop));
  }, 0n);
  return flipped ? found ^ IPV4_MASK : found;
}

/** @param {Address} address @returns {Address[]} IPv4 addresses that an IPv6 address may lead to */
function carriedAddresses(address) {
  if (address.bits === 32) return [];
  const places = rowsAround(address).flatMap((row) => row.carries ?? []);
  const found = places.map((carried) => joinPieces(carried, address.value));
  if (((address.value >> 32n) & ISATAP_MASK) === ISATAP) found.push(address.value & IPV4_MASK);
  return found.map((value) => ({ bits: 32, value }));
}

/**
 * The severest that is concluded about an address and the IPv4 addresses it carries; of names, only those of metadata
 * services are known.
 * @param {string} host as `URL.hostname` gives it, without a dot at the end
 * @returns {Network["conclusion"]}
 */
export function conclusionOf(host) {
  const address = addressOf(host);
  if (!address) return METADATA_NAMES.has(host) ? "metadata" : "public";
  const ranks = [address, ...carriedAddresses(address)].map((one) => SEVERITY.indexOf(rowsAround(one)[0].conclusion));
  return SEVERITY[Math.max(...ranks)];
}

/**
 * By the table of Local Network Access.
 * @param {string} host as `URL.hostname` gives it
 * @returns {import("../types/types.d.ts").AddressSpace | null} null: it is no address
 */
export function spaceOfAddress(host) {
  const address = addressOf(host);
  return address && (rowsAround(address).find((row) => row.space)?.space ?? "public");
}
