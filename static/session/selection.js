// @ts-check
/** What a user shows to models, in words, and how one choice is changed. Pure. */

import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").Selection} Selection */
/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */

/** @param {Selection} selection @returns {SelectionChoice} only what the user chose */
export function choiceOf({ servers, tags, names, pinned, max_tools, max_tokens }) {
  return { servers, tags, names, pinned, max_tools, max_tokens };
}

/**
 * @param {SelectionChoice} choice
 * @param {string} name
 * @param {boolean} isPinned
 * @returns {SelectionChoice}
 */
export function withPin(choice, name, isPinned) {
  const others = choice.pinned.filter((pinned) => pinned !== name);
  return { ...choice, pinned: isPinned ? [...others, name] : others };
}

/** @param {Selection} selection @returns {string} how many tools models are shown, and what becomes of the others */
export function shownSentence({ total, selected, shown }) {
  if (total === 0) return "There are no tools yet.";
  if (shown === total) return total === 1 ? "Your one tool is shown to models." : `All ${total} tools are shown to models.`;
  const begin = `${shown} of ${total} tools ${shown === 1 ? "is" : "are"} shown to models`;
  if (selected === shown) return `${begin}; the others are left out by your choice.`;
  if (selected === total) return `${begin}; the others are found by find_operations.`;
  const found = selected - shown;
  return `${begin}; ${found} ${found === 1 ? "is" : "are"} found by find_operations, the others are left out by your choice.`;
}

/**
 * What becomes of more tools than models are shown, if all accepted ones are chosen.
 * @param {Selection} selection @param {number} accepted
 * @returns {string} "" when they are all shown, or when the user chose among them
 */
export function overLimitSentence({ servers, tags, names, pinned, defaults, max_tools, shown }, accepted) {
  const most = max_tools ?? defaults.max_tools;
  if (accepted <= most || servers.length + tags.length + names.length > 0) return "";
  const lost = shown > pinned.length ? ` The ${formatCount(shown, "tool")} that they see now ${shown === 1 ? "goes" : "go"} from their lists.` : "";
  const rest = pinned.length > 0 ? `Besides ${formatCount(pinned.length, "pinned tool")} they` : "They";
  return (
    `With these, ${accepted} operations are accepted, and models are shown ${most} at most.${lost} ` +
    `${rest} get find_operations and run_operation, which reach every accepted operation in two calls instead of one. Accept fewer, or pin under Tools what is used every day.`
  );
}

/** @param {Selection} selection @returns {string} why not all chosen tools are shown; "" when they are */
export function reasonSentence({ over, selected, defaults, max_tools, max_tokens }) {
  if (over === "over_limit") return `${selected} tools exceed the limit of ${max_tools ?? defaults.max_tools}.`;
  if (over !== "over_tokens") return "";
  return `Their definitions take more than ${max_tokens ?? defaults.max_tokens} tokens.`;
}

/**
 * What each count that a user meets counts: in Tools, in the chat, in what programs receive.
 * @param {Selection} selection
 * @param {{accepted: boolean, advertised: boolean}[]} tools all that there are
 * @returns {[string, string][]} name and number, in words
 */
export function offerCounts({ total, selected, shown, meta_tools }, tools) {
  const accepted = tools.filter((tool) => tool.accepted).length;
  const undecided = tools.filter((tool) => tool.advertised && !tool.accepted).length;
  /** @type {[string, number, string][]} */
  const counts = [
    ["Programs receive", shown + meta_tools.length, `in /openapi.json and /mcp: ${formatCount(shown, "tool")} and, of the bridge's own, ${meta_tools.join(", ") || "none"}`],
    ["Accepted", accepted, "only these run, and only these are offered in the chat and under /v1"],
    ["Not decided", undecided, "listed for programs; a call says that you have to accept the operation first"],
    ["Found by search", selected - shown, "by find_operations, when they are not listed"],
    ["Left out", total - selected, "by your choice below"],
    ["Declined", tools.length - total, "listed nowhere"],
  ];
  return counts.filter(([name, count]) => count > 0 || name === "Accepted").map(([name, count, words]) => [name, `${count.toLocaleString("en")}: ${words}`]);
}
