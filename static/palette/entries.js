// @ts-check
/** What the palette can open, and which of it fits what was typed. Pure. */
import { rankFound } from "../base/ranked_search.js";

/** @typedef {{kind: string, label: string, detail: string, search: string, address: string, run?: () => void}} Entry
 *   `search`: lower case, what is looked into; `address`: of the view; `run`: in place of going there */
/** @typedef {{kind: string, entries: Entry[], more: number}} Group `more`: how many fit besides */

/** How many of a kind are shown; the words narrow it down. */
const SHOWN = 8;

/**
 * @param {string} kind
 * @param {string} label
 * @param {string} address
 * @param {string} [detail]
 * @param {string} [more] further text to look into
 * @returns {Entry}
 */
export function entry(kind, label, address, detail = "", more = "") {
  return { kind, label, detail, address, search: `${label} ${detail} ${more}`.toLowerCase() };
}

/** @param {Iterable<Entry>} entries @param {string} query @returns {Entry[]} those that contain every word, best first */
export const findEntries = (entries, query) => rankFound(entries, query, (each) => each);

/**
 * Found entries by kind, in the order of their best entry.
 * @param {Entry[]} found
 * @returns {Group[]}
 */
export function groupEntries(found) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const each of found) {
    const group = groups.get(each.kind) ?? { kind: each.kind, entries: [], more: 0 };
    groups.set(each.kind, group);
    if (group.entries.length < SHOWN) group.entries.push(each);
    else group.more += 1;
  }
  return [...groups.values()];
}
