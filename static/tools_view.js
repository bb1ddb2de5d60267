// @ts-check
/** The tools, searchable, and the one being tried. */
import { el, fill, labelled, link, methodTag } from "./dom.js";
import { address } from "./navigation.js";
import { TryView } from "./try_view.js";

/** @typedef {import("./api_types.js").Tool} Tool */
/** @typedef {import("./view_types.js").Parts} Parts */

/** More rows than this are not read by anybody; the search finds the rest. */
const MAX_ROWS = 300;

/**
 * @param {Tool[]} tools
 * @param {string} query words that must all occur in name, path or description
 * @returns {Tool[]}
 */
export function findTools(tools, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter(({ name, method, path, description }) => {
    const text = `${name} ${method} ${path} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export class ToolsView {
  /** @param {Parts} parts @param {string} toolName the tool to try, may be empty */
  constructor(parts, toolName) {
    this.parts = parts;
    this.toolName = toolName;
    this.search = el("input", { type: "search", autocomplete: "off", oninput: () => this.#renderList() });
    this.list = el("div", { class: "tool-list" });
    this.place = el("div", { class: "try" });
    /** @type {TryView | null} */
    this.trial = null;
    this.trialFor = "";
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  start(container) {
    const side = el("div", { class: "side" }, el("h1", null, "Tools"), labelled("Search", this.search), this.list);
    fill(container, el("div", { class: this.toolName ? "split has-choice" : "split" }, side, this.place));
    this.unsubscribe ??= this.parts.inventory.onChange(() => this.#render());
    this.#render();
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
    this.trial?.stop();
    this.trial = null;
  }

  #render() {
    this.#renderList();
    const { inventory } = this.parts;
    const tool = inventory.tools.find(({ name }) => name === this.toolName);
    const version = tool
      ? `${tool.name} ${tool.accepted} ${tool.server_id} ${tool.key} ${tool.description.length} ${Object.keys(tool.schema).length}`
      : "";
    if (tool && this.trial && version === this.trialFor) return;
    this.trial?.stop();
    this.trial = tool ? new TryView(this.parts, tool) : null;
    this.trialFor = version;
    fill(this.place, this.trial?.element ?? this.#nothingChosen());
  }

  #nothingChosen() {
    const { inventory } = this.parts;
    if (!inventory.isLoaded) return el("p", { class: "hint" }, "Loading…");
    if (this.toolName)
      return el(
        "p",
        { class: "empty" },
        `There is no tool named ${this.toolName}. `,
        link("All tools", address("tools")),
      );
    if (inventory.tools.length > 0)
      return el("p", { class: "empty" }, "Choose a tool to see its arguments and try it.");
    return el("p", { class: "empty" }, "There are no tools yet. ", link("Add a server", address("add")));
  }

  #renderList() {
    const found = findTools(this.parts.inventory.tools, this.search.value);
    /** @type {Map<string, Tool[]>} */
    const groups = new Map();
    for (const tool of found.slice(0, MAX_ROWS))
      groups.set(tool.server_id, [...(groups.get(tool.server_id) ?? []), tool]);
    const titles = new Map(this.parts.inventory.servers.map(({ id, title }) => [id, title]));
    const sections = [...groups].map(([id, tools]) =>
      el(
        "section",
        null,
        el("h2", null, titles.get(id) ?? id),
        el("ul", { class: "tool-rows" }, ...tools.map((tool) => this.#row(tool))),
      ),
    );
    const hidden = found.length - MAX_ROWS;
    fill(this.list, ...sections, hidden > 0 ? el("p", { class: "hint" }, `and ${hidden} more; search for them`) : null);
  }

  /** @param {Tool} tool */
  #row(tool) {
    const isChosen = tool.name === this.toolName;
    return el(
      "li",
      null,
      methodTag(tool.method, tool.safe),
      link(tool.name, address("tools", tool.name), {
        "aria-current": isChosen ? "true" : null,
        class: tool.accepted ? "" : "muted",
        title: `${tool.method} ${tool.path}`,
      }),
      tool.accepted ? null : el("span", { class: "badge" }, "not accepted"),
    );
  }
}
