// @ts-check
/** What a user shows to models, in words, and how one choice is changed. Pure. */
import { t, counted, formatNumber } from "../base/language.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").Selection} Selection */
/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */

/** @param {Selection} selection @returns {SelectionChoice} only what the user chose */
export function choiceOf({ servers, tags, names, pinned, listed, searched, max_tools, max_tokens }) {
  return { servers, tags, names, pinned, listed, searched, max_tools, max_tokens };
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

/** How models get a server's tools; "": as there is room. @typedef {"" | "listed" | "searched"} Listing */

/** @param {SelectionChoice} choice @param {string} serverId @returns {Listing} what its user chose */
export function listingOf(choice, serverId) {
  if (choice.searched.includes(serverId)) return "searched";
  return choice.listed.includes(serverId) ? "listed" : "";
}

/** @param {SelectionChoice} choice @param {string} serverId @param {Listing} listing @returns {SelectionChoice} */
export function withListing(choice, serverId, listing) {
  const idsOf = (/** @type {string[]} */ ids, /** @type {Listing} */ of) => {
    const others = ids.filter((id) => id !== serverId);
    return of === listing ? [...others, serverId] : others;
  };
  return { ...choice, listed: idsOf(choice.listed, "listed"), searched: idsOf(choice.searched, "searched") };
}

/**
 * What accepting operations of a server would do to what models are shown.
 * @param {import("../types/api_types.js").ListingForecast} forecast
 * @param {string} serverId
 * @param {number} accepted
 * @param {Map<string, string>} titles of servers, by id
 * @returns {string} "" when nothing of it is searched
 */
export function forecastSentence({ listed, giving_way, others_listed }, serverId, accepted, titles) {
  if (listed && giving_way.length === 0) return "";
  const titleOf = (/** @type {string} */ id) => titles.get(id) ?? id;
  const sentences = listed
    ? []
    : [
        t`${titleOf(serverId)} (${accepted}) will be searched: models find its operations with find_operations, and run them with run_operation.`,
      ];
  if (giving_way.length > 0)
    sentences.push(t`These are listed now, and will be searched: ${giving_way.map(titleOf).join(", ")}.`);
  if (others_listed > 0)
    sentences.push(counted(others_listed, "Your other tool stays listed.", "Your other {0} tools stay listed."));
  return sentences.join(" ");
}

/** @param {Selection} selection @returns {string} why not all chosen tools are shown; "" when they are */
export function reasonSentence({ over, selected, defaults, max_tools, max_tokens, pins_left, pinned }) {
  const sentences = [];
  if (over === "over_limit")
    sentences.push(t`${selected} tools exceed the limit of ${max_tools ?? defaults.max_tools}.`);
  if (over === "over_tokens")
    sentences.push(t`Their definitions take more than ${max_tokens ?? defaults.max_tokens ?? 0} tokens.`);
  if (pins_left > 0)
    sentences.push(
      t`Of the ${pinned.length} pinned tools, the last ${pins_left} have no room: pin those first that matter most.`,
    );
  return sentences.join(" ");
}

/**
 * What each count that a user meets counts: in Tools, in the chat, in what programs receive.
 * @param {Selection} selection
 * @param {{accepted: boolean, advertised: boolean}[]} tools all that there are
 * @returns {[string, string][]} name and number, in words
 */
export function offerCounts({ total, selected, shown, accepted_shown, meta_tools }, tools) {
  const accepted = tools.filter((tool) => tool.accepted).length;
  const undecided = tools.filter((tool) => tool.advertised && !tool.accepted).length;
  /** @type {[string, number, string][]} */
  const counts = [
    [
      t`Programs receive`,
      shown + meta_tools.length,
      t`in /openapi.json and /mcp: ${formatCount(shown, "tool")} and, of the bridge's own, ${meta_tools.join(", ") || t`none`}`,
    ],
    [t`Accepted`, accepted, t`only these run; the chat and /v1 list ${formatNumber(accepted_shown)} of them`],
    [t`Not decided`, undecided, t`listed for programs; a call says that you have to accept the operation first`],
    [t`Found by search`, selected - shown, t`by find_operations, when they are not listed`],
    [t`Left out`, total - selected, t`by your choice below`],
    [t`Declined`, tools.length - total, t`listed nowhere`],
  ];
  return counts
    .filter(([name, count]) => count > 0 || name === t`Accepted`)
    .map(([name, count, words]) => [name, `${formatNumber(count)}: ${words}`]);
}
