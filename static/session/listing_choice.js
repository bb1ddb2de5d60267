// @ts-check
/** How models get the tools of one server: listed by name or found by search, as its user chooses. */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { listingOf, withListing } from "./selection.js";

/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */
/** @typedef {import("./selection.js").Listing} Listing */

/** @type {[Listing, string][]} */
const WAYS = [
  ["", t`as there is room`],
  ["listed", t`by name, before others`],
  ["searched", t`by search`],
];

/**
 * @param {SelectionChoice} choice
 * @param {string} serverId
 * @param {(edit: (choice: SelectionChoice) => SelectionChoice) => void} change
 * @returns {HTMLSelectElement}
 */
export function listingSelect(choice, serverId, change) {
  const chosen = listingOf(choice, serverId);
  const options = WAYS.map(([value, label]) => el("option", { value, selected: value === chosen }, label));
  const select = el("select", null, ...options);
  select.addEventListener("change", () => {
    const way = /** @type {Listing} */ (select.value);
    change((now) => withListing(now, serverId, way));
  });
  return select;
}
