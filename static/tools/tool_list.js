// @ts-check
/** The list of tools: by server and tag, or the best first when they are searched. Only the rows in sight are made. */
import { t, formatNumber } from "../base/language.js";
import { breakableName, button, el, fill, methodTag } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { WindowedKeys } from "../windowed_list/windowed_keys.js";
import { WindowedList } from "../windowed_list/windowed_list.js";
import { viewAddress } from "../ui/router.js";
import { sumTokens } from "../session/tool_tokens.js";
import { linesOf } from "./tool_lines.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("./tool_lines.js").Line} Line */
/**
 * @typedef {object} Listing
 * @property {Tool[]} tools          found
 * @property {boolean} isRanked      the best first, without groups
 * @property {boolean} isFiltered    then groups are open
 * @property {string} chosen         name of the tool that is open
 * @property {Map<string, string>} titles  of servers, by id
 * @property {Set<string>} pinned    names
 * @property {boolean} mayPin
 * @property {Record<string, number>} tokens  by name; of those that are counted
 * @property {(tool: Tool) => boolean} isPaused
 */

/** Groups that the user has opened or folded, while this page is open. @type {Map<string, boolean>} */
const folded = new Map();

export class ToolList {
  /** @param {(name: string, isPinned: boolean) => void} pin */
  constructor(pin) {
    this.pin = pin;
    const rows = el("ul", { class: "tool-rows", "aria-label": t`Tools` });
    this.element = el("div", { class: "tool-list" }, rows);
    /** @type {Listing | null} */
    this.listing = null;
    /** What an element was last made of. @type {WeakMap<HTMLElement, string>} */
    this.versions = new WeakMap();
    /** @type {WindowedList<Line>} */
    this.list = new WindowedList(rows, {
      keyOf: (line) => (line.kind === "tool" ? `tool ${line.tool.name}` : `${line.kind} ${line.id}`),
      make: (line) => this.#make(line),
      update: (line, element) => this.#update(line, element),
      guess: (line) => (line.kind === "tool" ? 32 : 34),
    });
    this.keys = new WindowedKeys(rows, this.list, ({ kind }) => kind !== "server");
  }

  /** Once it is in the page. */
  start() {
    this.list.start();
  }

  stop() {
    this.list.stop();
  }

  /** Keeps the focus where it is. @param {Listing} listing */
  showTools(listing) {
    this.listing = listing;
    const lines = linesOf(listing.tools, { ...listing, folded });
    this.keys.leadTo(lines, [
      (line) => line.kind === "tool" && line.tool.name === listing.chosen,
      ({ kind }) => kind === "tool",
    ]);
    this.list.showLines(lines);
  }

  /** Scrolls the list, not the page: the tool stands in its middle. @param {string} name of a tool that is listed */
  revealTool(name) {
    const at = this.list.lines.findIndex((line) => line.kind === "tool" && line.tool.name === name);
    const row = this.list.revealLine(at);
    if (row === undefined) return;
    const [list, { top, height }] = [this.element.getBoundingClientRect(), row.getBoundingClientRect()];
    this.element.scrollTop += top + height / 2 - (list.top + list.height / 2);
  }

  /** @param {Line} line */
  #make(line) {
    const element = el("li", { class: line.kind === "tool" ? null : `tool-${line.kind}` });
    this.#update(line, element);
    return element;
  }

  /** Fills it anew only when something else is to be seen. @param {Line} line @param {HTMLElement} element */
  #update(line, element) {
    const facts = this.#factsOf(line);
    const version = JSON.stringify(facts);
    if (this.versions.get(element) !== version) {
      this.versions.set(element, version);
      const control = element.contains(document.activeElement) ? document.activeElement?.className : undefined;
      fill(element, ...(line.kind === "tool" ? this.#row(line.tool) : this.#heading(line)));
      if (control !== undefined) this.keys.focusIn(element, control);
    }
    this.keys.updateLine(line, element);
  }

  /** All that a line shows. @param {Line} line @returns {unknown[]} */
  #factsOf(line) {
    const { titles, tokens, chosen, pinned, mayPin, isPaused } = /** @type {Listing} */ (this.listing);
    if (line.kind === "group") return [line.title, line.count, line.isOpen];
    if (line.kind === "server") return [titles.get(line.id), sumTokens(line.tools, tokens)];
    const { name, method, safe, accepted } = line.tool;
    const marks = [name === chosen, accepted, isPaused(line.tool), tokens[name], mayPin, pinned.has(name)];
    return [method, safe, this.#titleOfServer(line.tool), ...marks];
  }

  /** @param {Exclude<Line, {kind: "tool"}>} line @returns {HTMLElement[]} */
  #heading(line) {
    const { titles, tokens } = /** @type {Listing} */ (this.listing);
    if (line.kind === "group") return [el("h3", null, this.#fold(line))];
    const sum = sumTokens(line.tools, tokens);
    const cost = sum === null ? null : el("span", { class: "tokens" }, t`about ${formatCount(sum, "token")}`);
    return [el("h2", null, titles.get(line.id) ?? line.id, cost && " · ", cost)];
  }

  /** @param {Extract<Line, {kind: "group"}>} line */
  #fold({ id, title, count, isOpen }) {
    const fold = () => {
      folded.set(id, !isOpen);
      if (this.listing) this.showTools({ ...this.listing, isFiltered: false });
    };
    const about = el("span", { class: "facts" }, formatCount(count, "tool"));
    const words = { class: "fold", "aria-expanded": String(isOpen), dataset: { fold: id } };
    return el("button", { type: "button", onclick: fold, ...words }, title || t`Without a tag`, " ", about);
  }

  /** @param {Tool} tool @returns {(HTMLElement | null)[]} */
  #row(tool) {
    const { chosen, pinned, mayPin, isPaused } = /** @type {Listing} */ (this.listing);
    const { name, method, path, safe, accepted } = tool;
    const open = el(
      "a",
      {
        href: viewAddress("tools", name),
        "aria-current": name === chosen ? "true" : null,
        class: accepted ? "" : "muted",
        title: `${name}: ${method} ${path}`,
      },
      ...breakableName(name),
    );
    return [
      methodTag(method, safe),
      el("span", { class: "named" }, open, this.#serverOf(tool)),
      accepted ? null : el("span", { class: "badge" }, t`not accepted`),
      isPaused(tool) ? el("span", { class: "badge warning" }, t`paused`) : null,
      this.#cost(name),
      mayPin ? this.#pinButton(name, pinned.has(name)) : null,
    ];
  }

  /** Where groups do not say it. @param {Tool} tool */
  #titleOfServer({ server_id }) {
    const { isRanked, titles } = /** @type {Listing} */ (this.listing);
    return isRanked && titles.size > 1 ? (titles.get(server_id) ?? server_id) : "";
  }

  /** @param {Tool} tool */
  #serverOf(tool) {
    const title = this.#titleOfServer(tool);
    return title === "" ? null : el("span", { class: "of-server" }, title);
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
