// @ts-check
/** Which servers are listed and which are searched, each with its user's choice. */
import { t, counted } from "../base/language.js";
import { el, fill, labelledField } from "../ui/dom.js";
import { listingSelect } from "../session/listing_choice.js";

/** @typedef {import("../types/api_types.js").Selection} Selection */
/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */

export class ListingPanel {
  /** @param {(edit: (choice: SelectionChoice) => SelectionChoice) => void} change */
  constructor(change) {
    this.change = change;
    this.rows = el("div", { dataset: { testid: "listing" } });
    this.element = el(
      "section",
      { class: "panel" },
      el("h2", null, t`Listed or searched`),
      el(
        "p",
        { class: "hint" },
        t`Each server as a whole. Adding one changes none of the others while they fit; servers in use come first, then small ones.`,
      ),
      this.rows,
    );
  }

  /** @param {Selection} selection @param {Map<string, string>} titles of servers, by id */
  showListing(selection, titles) {
    this.element.hidden = selection.listing.length === 0;
    fill(
      this.rows,
      ...selection.listing.map((each) => this.#row(selection, each, titles.get(each.server) ?? each.server)),
    );
  }

  /** @param {Selection} selection @param {Selection["listing"][number]} listing @param {string} title */
  #row(selection, { server, tools, listed }, title) {
    const state = listed
      ? counted(tools, "{0} tool, listed", "{0} tools, listed")
      : counted(tools, "{0} tool, found by search", "{0} tools, found by search");
    return labelledField(title, listingSelect(selection, server, this.change), state);
  }
}
