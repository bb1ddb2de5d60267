// @ts-check
/** The rows of the list of tools: by server and tag, groups to fold, a pin for each tool where there is a choice. */
import { t, formatNumber } from "../base/language.js";
import { button, el, fill, link, methodTag } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { ListKeys } from "../ui/list_keys.js";
import { viewAddress } from "../ui/router.js";
import { groupTools } from "../session/tool_filter.js";
import { sumTokens } from "../session/tool_tokens.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../session/tool_filter.js").ToolGroup} ToolGroup */
/**
 * @typedef {object} Listing
 * @property {Tool[]} tools          found
 * @property {boolean} isFiltered    then groups are open
 * @property {string} chosen         name of the tool that is open
 * @property {Map<string, string>} titles  of servers, by id
 * @property {Set<string>} pinned    names
 * @property {boolean} mayPin
 * @property {Record<string, number>} tokens  by name; of those that are counted
 * @property {(tool: Tool) => boolean} isPaused
 */

/** With more tools, groups begin folded. */
const MANY_TOOLS = 150;
/** More rows than this at once are not read by anybody; the search finds the rest. */
const MAX_ROWS = 300;

/** Groups that the user has opened or folded, while this page is open. @type {Map<string, boolean>} */
const folded = new Map();

export class ToolList {
  /** @param {(name: string, isPinned: boolean) => void} pin */
  constructor(pin) {
    this.pin = pin;
    this.element = el("div", { class: "tool-list" });
    this.keys = new ListKeys(this.element);
    /** @type {Listing | null} */
    this.listing = null;
    this.rowsLeft = 0;
  }

  /** Keeps the focus where it is. @param {Listing} listing */
  showTools(listing) {
    this.listing = listing;
    this.rowsLeft = MAX_ROWS;
    const focused = this.element.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset
      : {};
    fill(this.element, ...groupTools(listing.tools).map(({ server_id, groups }) => this.#section(server_id, groups)));
    this.keys.takeRows();
    const again = (/** @type {"pin" | "fold"} */ name) =>
      focused[name] === undefined
        ? undefined
        : [.../** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll(`[data-${name}]`))].find(
            ({ dataset }) => dataset[name] === focused[name],
          );
    (again("pin") ?? again("fold"))?.focus();
  }

  /** @param {string} serverId @param {ToolGroup[]} groups */
  #section(serverId, groups) {
    const { titles, tokens } = /** @type {Listing} */ (this.listing);
    const sum = sumTokens(
      groups.flatMap(({ tools }) => tools),
      tokens,
    );
    const cost = sum === null ? null : el("span", { class: "tokens" }, t`about ${formatCount(sum, "token")}`);
    const title = el("h2", null, titles.get(serverId) ?? serverId, cost && " · ", cost);
    return el("section", null, title, ...groups.flatMap((group) => this.#group(serverId, group, groups.length > 1)));
  }

  /** @param {string} serverId @param {ToolGroup} group @param {boolean} hasTitle */
  #group(serverId, { title, tools }, hasTitle) {
    const { isFiltered, tools: all, chosen } = /** @type {Listing} */ (this.listing);
    const id = JSON.stringify([serverId, title]);
    const begins = all.length <= MANY_TOOLS || !hasTitle || tools.some(({ name }) => name === chosen);
    const isOpen = isFiltered || (folded.get(id) ?? begins);
    const shown = isOpen ? tools.slice(0, Math.max(0, this.rowsLeft)) : [];
    this.rowsLeft -= shown.length;
    const hidden = isOpen ? tools.length - shown.length : 0;
    return [
      hasTitle ? this.#heading(id, title, tools.length, isOpen) : null,
      shown.length > 0
        ? el("ul", { class: "tool-rows", "aria-label": title || null }, ...shown.map((tool) => this.#row(tool)))
        : null,
      hidden > 0 ? el("p", { class: "hint" }, t`and ${hidden} more; search to find them`) : null,
    ];
  }

  /** @param {string} id @param {string} title @param {number} count @param {boolean} isOpen */
  #heading(id, title, count, isOpen) {
    const fold = () => {
      folded.set(id, !isOpen);
      if (this.listing) this.showTools({ ...this.listing, isFiltered: false });
    };
    const about = el("span", { class: "facts" }, formatCount(count, "tool"));
    return el(
      "h3",
      { class: "tool-group" },
      el(
        "button",
        { type: "button", class: "fold", onclick: fold, "aria-expanded": String(isOpen), dataset: { fold: id } },
        title || t`Without a tag`,
        " ",
        about,
      ),
    );
  }

  /** @param {Tool} tool */
  #row(tool) {
    const { chosen, pinned, mayPin, isPaused } = /** @type {Listing} */ (this.listing);
    return el(
      "li",
      null,
      methodTag(tool.method, tool.safe),
      link(tool.name, viewAddress("tools", tool.name), {
        "aria-current": tool.name === chosen ? "true" : null,
        class: tool.accepted ? "" : "muted",
        title: `${tool.name}: ${tool.method} ${tool.path}`,
      }),
      tool.accepted ? null : el("span", { class: "badge" }, t`not accepted`),
      isPaused(tool) ? el("span", { class: "badge warning" }, t`paused`) : null,
      this.#cost(tool.name),
      mayPin ? this.#pinButton(tool.name, pinned.has(tool.name)) : null,
    );
  }

  /** @param {string} name */
  #cost(name) {
    const tokens = this.listing?.tokens[name];
    if (tokens === undefined) return null;
    const unit = el("span", { class: "visually-hidden" }, ` ${t`tokens`}`);
    const title = t`Its definition takes about ${formatCount(tokens, "token")} of every request that lists it.`;
    return el("span", { class: "tokens", title }, `~${formatNumber(tokens)}`, unit);
  }

  /** @param {string} name @param {boolean} isPinned */
  #pinButton(name, isPinned) {
    const press = (/** @type {Event} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-pressed", String(!isPinned));
      this.pin(name, !isPinned);
    };
    return button(t`Pin`, press, {
      class: "pin",
      "aria-pressed": String(isPinned),
      "aria-label": t`Pin ${name}`,
      title: isPinned
        ? t`Pinned: shown to models. Press to unpin`
        : t`Always show it to models, even when there are too many tools to show all`,
      dataset: { pin: name },
    });
  }
}
