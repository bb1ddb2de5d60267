// @ts-check
/** Which operations of a server a policy accepts. Pure. */
import { verbatim } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {{title: string, tools: ServerTool[]}} Offered */
/** @typedef {import("../types/unattended_types.d.ts").ServerPolicy} ServerPolicy */

/** @param {ServerTool} tool @param {string[]} names */
const isNamed = ({ name, key }, names) => names.includes(name) || names.includes(key);

/** @param {ServerTool} tool @param {ServerPolicy["accept"]} accept */
const isWanted = (tool, accept) => (Array.isArray(accept) ? isNamed(tool, accept) : accept === "all" || tool.safe);

/**
 * @param {Offered} server
 * @param {ServerPolicy} policy
 * @param {Record<string, string>} refused key to digest: could not be accepted
 * @returns {Record<string, string>} key to digest
 */
export function selectTools({ tools }, { accept, origins }, refused) {
  const chosen = tools.filter((tool) => isWanted(tool, accept) && origins.includes(tool.origin) && refused[tool.key] !== tool.digest);
  return Object.fromEntries(chosen.map(({ key, digest }) => [key, digest]));
}

/**
 * Whether exactly these are accepted at the bridge and pinned in this browser.
 * @param {Offered} server
 * @param {Record<string, string>} wanted
 * @param {Record<string, string>} pinned
 */
export function isSameSelection({ tools }, wanted, pinned) {
  const accepted = tools.flatMap(({ key, accepted_digest }) => (accepted_digest ? [[key, accepted_digest]] : []));
  return [Object.fromEntries(accepted), pinned].every((known) => isSame(known, wanted));
}

/** @param {Record<string, string>} a @param {Record<string, string>} b */
function isSame(a, b) {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** @param {Offered} server @param {ServerPolicy} policy @returns {string[]} sentences */
export function unknownNames({ title, tools }, { accept, approve }) {
  const names = [accept, approve].flatMap((list) => (Array.isArray(list) ? list : []));
  const unknown = [...new Set(names)].filter((name) => !tools.some((tool) => isNamed(tool, [name])));
  return unknown.map((name) => verbatim(`${title} has no operation "${name}".`));
}

/** Where operations go that are named and left out all the same. @param {Offered} server @param {ServerPolicy} policy @returns {string[]} sentences */
export function originsLeftOut({ title, tools }, { accept, origins }) {
  const elsewhere = tools.filter((tool) => Array.isArray(accept) && isNamed(tool, accept) && !origins.includes(tool.origin));
  const left = [...new Set(elsewhere.map(({ origin }) => origin))];
  return left.map((origin) => verbatim(`${title}: operations at ${origin || "no address"} are not accepted, because origins does not list it.`));
}
