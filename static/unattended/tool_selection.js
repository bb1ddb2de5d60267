// @ts-check
/** Which operations of a server a policy accepts. Pure. */
import { verbatim } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {{title: string, tools: ServerTool[]}} Offered */
/** @typedef {import("../types/unattended_types.d.ts").ServerPolicy} ServerPolicy */

/** Operations or servers that are named in one sentence. */
const NAMED = 20;

const LOST = verbatim("no longer accepted");

/** @param {string[]} names @param {string} separator @returns {string} "": there are none */
export function listSome(names, separator) {
  const more = names.length > NAMED ? verbatim(` and ${names.length - NAMED} more`) : "";
  return names.slice(0, NAMED).join(separator) + more;
}

/** What a policy may call an operation besides its key: others may have taken the bridge's name for it, and never the document's. @param {ServerTool} tool */
export const namesOf = ({ name, operation_id }) => (operation_id === null ? [name] : [name, operation_id]);

/** @param {ServerTool} tool @param {string[]} names */
const isNamed = (tool, names) => [tool.key, ...namesOf(tool)].some((name) => names.includes(name));

/** @param {ServerTool} tool @param {ServerPolicy["accept"]} accept */
const isWanted = (tool, accept) => (Array.isArray(accept) ? isNamed(tool, accept) : accept === "all" || tool.safe);

/**
 * @param {Offered} server
 * @param {ServerPolicy} policy
 * @param {Map<string, string>} refused key to digest: could not be accepted
 * @returns {Record<string, string>} key to digest
 */
export function selectTools({ tools }, { accept, origins }, refused) {
  const chosen = tools.filter(
    (tool) => isWanted(tool, accept) && origins.includes(tool.origin) && refused.get(tool.key) !== tool.digest,
  );
  return Object.fromEntries(chosen.map(({ key, digest }) => [key, digest]));
}

/**
 * Whether exactly these are accepted at the bridge and pinned in this browser.
 * @param {Offered} server
 * @param {Record<string, string>} wanted
 * @param {Record<string, string>} pinned
 */
export function isSameSelection({ tools }, wanted, pinned) {
  const wants = new Map(Object.entries(wanted));
  return [acceptedOf(tools), Object.entries(pinned)].every(
    (known) => known.length === wants.size && known.every(([key, digest]) => wants.get(key) === digest),
  );
}

/** @param {ServerTool[]} tools @returns {[string, string][]} key and digest */
const acceptedOf = (tools) =>
  tools.flatMap(({ key, accepted_digest }) => (accepted_digest ? [[key, accepted_digest]] : []));

/**
 * What is another one than before, here or at the bridge.
 * @param {Offered & {id: string}} server as it was before
 * @param {Record<string, string>} pinned before
 * @param {Record<string, string>} now key to digest
 * @returns {string[]} one sentence, or none
 */
export function changeOf({ title, id, tools }, pinned, now) {
  const before = new Map([...Object.entries(pinned), ...acceptedOf(tools)]);
  const after = new Map(Object.entries(now));
  const gained = [...after.keys()].filter((key) => !before.has(key));
  const lost = [...before.keys()].filter((key) => !after.has(key));
  const altered = [...after]
    .filter(([key, digest]) => before.has(key) && before.get(key) !== digest)
    .map(([key]) => key);
  return sentences(title, id, [
    listed(verbatim("accepted now"), gained),
    listed(verbatim("accepted in another version"), altered),
    listed(LOST, lost),
  ]);
}

/** @param {string} title "": the bridge has it no more @param {string} id @param {Record<string, string>} pinned before @returns {string[]} one sentence, or none */
export const withdrawal = (title, id, pinned) => sentences(title, id, [listed(LOST, Object.keys(pinned))]);

/** @param {string} title @param {string} id @param {string[]} words */
function sentences(title, id, words) {
  const said = words.filter(Boolean).join("; ");
  return said === "" ? [] : [verbatim(`${title || "A server that is gone"} (${id}): ${said}.`)];
}

/** @param {string} words @param {string[]} keys */
const listed = (words, keys) => (keys.length === 0 ? "" : verbatim(`${words}: ${listSome(keys, ", ")}`));

/** @param {Offered} server @param {ServerPolicy} policy @returns {string[]} sentences */
export function unknownNames({ title, tools }, { accept, approve }) {
  const names = [accept, approve].flatMap((list) => (Array.isArray(list) ? list : []));
  const unknown = [...new Set(names)].filter((name) => !tools.some((tool) => isNamed(tool, [name])));
  return unknown.map((name) => verbatim(`${title} has no operation "${name}".`));
}

/** Where operations go that are named and left out all the same. @param {Offered} server @param {ServerPolicy} policy @returns {string[]} sentences */
export function originsLeftOut({ title, tools }, { accept, origins }) {
  const elsewhere = tools.filter(
    (tool) => Array.isArray(accept) && isNamed(tool, accept) && !origins.includes(tool.origin),
  );
  const left = [...new Set(elsewhere.map(({ origin }) => origin))];
  return left.map((origin) =>
    verbatim(`${title}: operations at ${origin || "no address"} are not accepted, because origins does not list it.`),
  );
}
