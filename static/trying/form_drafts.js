// @ts-check
/** Drafts of calls: the last content of each tool's form, while this page is open. */
import { readLink } from "./shared_link.js";

/** `isLinked`: a link had filled it. @typedef {{args: import("../types/types.js").JsonObject, isLinked: boolean}} Draft */

/** By tool. @type {Map<string, Draft>} */
const drafts = new Map();

/** @param {string} name of the tool @param {Draft} draft */
export function keepDraft(name, draft) {
  drafts.set(name, draft);
}

/** What a form begins with. @param {string} name @param {string | null} shared arguments, as a link has them @returns {Draft} */
export function draftOf(name, shared) {
  const linked = readLink(shared);
  return linked ? { args: linked, isLinked: true } : (drafts.get(name) ?? { args: {}, isLinked: false });
}
