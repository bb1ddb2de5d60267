// @ts-check
/** Names of operations that break at the ends of their words, never within one. */
import { el } from "./dom.js";

/** After a mark between words, and before a capital that begins one. */
const ENDS = /(?<=[_.\-/:])(?=[^_.\-/:])|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** @param {string} name @returns {(string | HTMLElement)[]} its words, with a place to break between them */
export function breakableName(name) {
  return name.split(ENDS).flatMap((word, index) => (index === 0 ? [word] : [el("wbr", null), word]));
}
