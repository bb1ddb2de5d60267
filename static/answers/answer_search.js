// @ts-check
/** A search in an answer: the places of a JSON value that hold the words, or those of a text. */
import { counted, t } from "../base/language.js";
import { button, el } from "../ui/dom.js";
import { isContainer, membersOf, previewOf } from "./json_path.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {(string | number)[]} Steps  from the root to a value */

/** Further ones are not counted: no user goes through them one by one. */
export const MAX_HITS = 1000;

/**
 * The values whose name or own text holds the words, in the order of the tree.
 * @param {JsonValue} value @param {string} words @returns {Steps[]}
 */
export function findPlaces(value, words) {
  const wanted = words.toLowerCase();
  /** @type {Steps[]} */
  const found = [];
  const look = (/** @type {JsonValue} */ each, /** @type {Steps} */ steps) => {
    const own = isContainer(each) ? "" : previewOf(each);
    const name = steps.length > 0 && typeof steps.at(-1) === "string" ? String(steps.at(-1)) : "";
    if (own.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted)) found.push(steps);
    if (!isContainer(each)) return;
    for (const { step, value: member } of membersOf(each, 0, Number.POSITIVE_INFINITY)) {
      if (found.length >= MAX_HITS) return;
      look(member, [...steps, step]);
    }
  };
  if (wanted) look(value, []);
  return found;
}

/** Where the words begin in a text. @param {string} text @param {string} words @returns {number[]} */
export function findOffsets(text, words) {
  const [all, wanted] = [text.toLowerCase(), words.toLowerCase()];
  /** @type {number[]} */
  const found = [];
  for (let at = wanted ? all.indexOf(wanted) : -1; at >= 0 && found.length < MAX_HITS; at = all.indexOf(wanted, at + 1))
    found.push(at);
  return found;
}

/**
 * The field and what leads through its hits.
 * @param {(words: string) => (() => void)[]} find what shows each hit @returns {{element: HTMLElement, input: HTMLInputElement}}
 */
export function searchField(find) {
  const input = el("input", { type: "search", "aria-label": t`Search in the answer`, autocomplete: "off" });
  const told = el("span", { class: "facts", role: "status" });
  let [hits, place] = [/** @type {(() => void)[]} */ ([]), 0];
  const go = (/** @type {number} */ by) => {
    if (hits.length === 0) return;
    place = (place + by + hits.length) % hits.length;
    hits[place]();
    told.textContent = t`${place + 1} of ${hits.length}`;
  };
  input.addEventListener("input", () => {
    hits = find(input.value.trim());
    place = 0;
    const most = hits.length >= MAX_HITS;
    told.textContent = most ? t`more than ${MAX_HITS}` : counted(hits.length, "{0} match", "{0} matches");
    if (input.value.trim() === "") told.textContent = "";
    hits[0]?.();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  const ways = [
    button("↑", () => go(-1), { class: "quiet small", "aria-label": t`Previous match` }),
    button("↓", () => go(1), { class: "quiet small", "aria-label": t`Next match` }),
  ];
  return { element: el("div", { class: "answer-search", role: "search" }, input, told, ...ways), input };
}

/** Marks a part of a text and scrolls to it. @param {HTMLElement} block that holds one text @param {number} offset @param {number} length */
export function markText(block, offset, length) {
  const text = block.firstChild;
  if (!text || offset + length > (text.textContent ?? "").length) return;
  const range = document.createRange();
  range.setStart(text, offset);
  range.setEnd(text, offset + length);
  CSS.highlights?.set("answer-hit", new Highlight(range));
  const [place, box] = [range.getBoundingClientRect(), block.getBoundingClientRect()];
  block.scrollTop += place.top - box.top - block.clientHeight / 2;
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
}
