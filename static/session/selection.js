// @ts-check
/** What a user shows to models, in words, and how one choice is changed. Pure. */
import { t, counted, formatNumber } from "../base/language.js";
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
  if (total === 0) return t`There are no tools yet.`;
  if (shown === total)
    return total === 1 ? t`Your one tool is shown to models.` : t`All ${total} tools are shown to models.`;
  const begin = counted(shown, "{0} of {1} tools is shown to models", "{0} of {1} tools are shown to models", total);
  if (selected === shown) return t`${begin}; the others are left out by your choice.`;
  if (selected === total) return t`${begin}; the others are found by find_operations.`;
  return counted(
    selected - shown,
    "{1}; {0} is found by find_operations, the others are left out by your choice.",
    "{1}; {0} are found by find_operations, the others are left out by your choice.",
    begin,
  );
}

/**
 * What becomes of more tools than models are shown, if all accepted ones are chosen.
 * @param {Selection} selection @param {number} accepted
 * @returns {string} "" when they are all shown, or when the user chose among them
 */
export function overLimitSentence({ servers, tags, names, pinned, defaults, max_tools, shown }, accepted) {
  const most = max_tools ?? defaults.max_tools;
  if (accepted <= most || servers.length + tags.length + names.length > 0) return "";
  return [
    t`With these, ${accepted} operations are accepted, and models are shown ${most} at most.`,
    shown > pinned.length &&
      counted(
        shown,
        "The {0} tool that they see now goes from their lists.",
        "The {0} tools that they see now go from their lists.",
      ),
    searchSentence(pinned.length),
    t`Accept fewer, or pin under Tools what is used every day.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** @param {number} pinned so many tools */
const searchSentence = (pinned) =>
  pinned === 0
    ? t`They get find_operations and run_operation, which reach every accepted operation in two calls instead of one.`
    : counted(
        pinned,
        "Besides {0} pinned tool they get find_operations and run_operation, which reach every accepted operation in two calls instead of one.",
        "Besides {0} pinned tools they get find_operations and run_operation, which reach every accepted operation in two calls instead of one.",
      );

/** @param {Selection} selection @returns {string} why not all chosen tools are shown; "" when they are */
export function reasonSentence({ over, selected, defaults, max_tools, max_tokens }) {
  if (over === "over_limit") return t`${selected} tools exceed the limit of ${max_tools ?? defaults.max_tools}.`;
  if (over !== "over_tokens") return "";
  return t`Their definitions take more than ${max_tokens ?? defaults.max_tokens ?? 0} tokens.`;
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
    [
      t`Programs receive`,
      shown + meta_tools.length,
      t`in /openapi.json and /mcp: ${formatCount(shown, "tool")} and, of the bridge's own, ${meta_tools.join(", ") || t`none`}`,
    ],
    [t`Accepted`, accepted, t`only these run, and only these are offered in the chat and under /v1`],
    [t`Not decided`, undecided, t`listed for programs; a call says that you have to accept the operation first`],
    [t`Found by search`, selected - shown, t`by find_operations, when they are not listed`],
    [t`Left out`, total - selected, t`by your choice below`],
    [t`Declined`, tools.length - total, t`listed nowhere`],
  ];
  return counts
    .filter(([name, count]) => count > 0 || name === t`Accepted`)
    .map(([name, count, words]) => [name, `${formatNumber(count)}: ${words}`]);
}
