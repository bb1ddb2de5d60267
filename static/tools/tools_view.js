// @ts-check
/** The tools, searchable, which of them models are shown, and the one being tried. */
import { announceSentence, button, el, fill, link, methodTag, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { shownSentence, withPin } from "../session/selection.js";
import { findTools } from "../session/tool_filter.js";
import { ListKeys } from "./list_keys.js";
import { ToolFilterView } from "./tool_filter_view.js";
import { TryView } from "./try_view.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** More rows than this are not read by anybody; the search finds the rest. */
const MAX_ROWS = 300;

export class ToolsView {
  /** @param {Parts} parts @param {string} toolName the tool to try, may be empty */
  constructor(parts, toolName) {
    this.parts = parts;
    this.toolName = toolName;
    this.filter = new ToolFilterView(() => this.#renderList());
    this.shown = el("p", { class: "hint", dataset: { testid: "shown" } });
    this.messages = el("div", { "aria-live": "polite" });
    this.list = el("div", { class: "tool-list" });
    this.keys = new ListKeys(this.list);
    this.place = el("div", { class: "try" });
    this.split = el("div", { class: "split" });
    /** @type {TryView | null} */
    this.trial = null;
    /** What the trial shows, or will show once it is loaded. */
    this.trialFor = "";
    this.hasScrolled = false;
    /** @type {(() => void)[]} */
    this.subscriptions = [];
  }

  /** @param {HTMLElement} container */
  start(container) {
    const parts = [el("h1", null, "Tools"), this.shown, this.filter.element, this.messages, this.list];
    const side = el("div", { class: "side" }, ...parts);
    const back = link("All tools", viewAddress("tools"), { class: "back" });
    fill(this.split, side, el("div", null, back, this.place));
    fill(container, this.split);
    const { inventory, controls } = this.parts;
    this.subscriptions = [inventory.onChange(() => this.#render()), controls.onChange(() => this.#renderList())];
    this.#render();
  }

  stop() {
    for (const end of this.subscriptions.splice(0)) end();
    this.trialFor = "";
    this.trial?.stop();
    this.trial = null;
  }

  /** Another tool of the same list: the list stays as it is. @param {import("../ui/router.js").Route} route */
  followRoute({ section, parts: [toolName = ""] }) {
    if (section !== "tools") return false;
    this.toolName = toolName;
    this.trial?.stop();
    this.trial = null;
    this.trialFor = "";
    this.#render(true);
    window.scrollTo(0, 0);
    return true;
  }

  #render(isChosenNow = false) {
    const { inventory } = this.parts;
    this.split.classList.toggle("has-choice", this.toolName !== "");
    this.filter.offerChoices(inventory.servers, inventory.tools);
    this.#renderShown();
    this.#renderList();
    const tool = inventory.tools.find(({ name }) => name === this.toolName);
    if (tool) void this.#try(tool, isChosenNow);
    else fill(this.place, this.#nothingChosen());
  }

  #renderShown() {
    const { selection } = this.parts.inventory;
    const change = link("Choose", viewAddress("selection"), { "aria-label": "Choose which tools are shown to models" });
    fill(this.shown, ...(selection === null || selection.total === 0 ? [] : [shownSentence(selection), " ", change]));
  }

  /** Loads the arguments of the tool, unless what is there shows it as it is; then the new form takes the place. @param {Tool} tool @param {boolean} isChosenNow it gets the focus */
  async #try(tool, isChosenNow) {
    const document = this.parts.inventory.servers.find(({ id }) => id === tool.server_id)?.digest;
    const version = JSON.stringify([tool.name, tool.accepted, tool.key, document]);
    if (version === this.trialFor) return;
    this.trialFor = version;
    if (this.trial === null) fill(this.place, el("p", { class: "hint" }, "Loading…"));
    try {
      const full = await this.parts.api.readTool(tool.name);
      if (this.trialFor !== version) return;
      this.trial?.stop();
      this.trial = new TryView(this.parts, full);
      fill(this.place, this.trial.element);
      if (isChosenNow) this.trial.focusTitle();
    } catch (failure) {
      if (this.trialFor === version) fill(this.place, notice("error", sentenceOf(failure)));
    }
  }

  #nothingChosen() {
    const { inventory } = this.parts;
    if (!inventory.isLoaded) return el("p", { class: "hint" }, "Loading…");
    if (this.toolName)
      return el(
        "p",
        { class: "empty" },
        `There is no tool named ${this.toolName}. `,
        link("All tools", viewAddress("tools")),
      );
    if (inventory.tools.length > 0)
      return el("p", { class: "empty" }, "Choose a tool to see its arguments and try it.");
    return el("p", { class: "empty" }, "There are no tools yet. ", link("Add a server", viewAddress("add")));
  }

  #renderList() {
    const { inventory } = this.parts;
    const pinned = new Set(inventory.selection?.pinned);
    const found = findTools(inventory.tools, this.filter.readFilter(), pinned);
    /** @type {Map<string, Tool[]>} */
    const groups = new Map();
    for (const tool of found.slice(0, MAX_ROWS))
      groups.set(tool.server_id, [...(groups.get(tool.server_id) ?? []), tool]);
    const titles = new Map(inventory.servers.map(({ id, title }) => [id, title]));
    const sections = [...groups].map(([id, tools]) => {
      const rows = tools.map((tool) => this.#toolRow(tool, pinned.has(tool.name)));
      return el("section", null, el("h2", null, titles.get(id) ?? id), el("ul", { class: "tool-rows" }, ...rows));
    });
    const hidden = found.length - MAX_ROWS;
    const more = hidden > 0 ? el("p", { class: "hint" }, `and ${hidden} more; search to find them`) : null;
    const none = found.length === 0 && inventory.tools.length > 0 ? el("p", { class: "hint" }, "No tool matches.") : null;
    this.#replaceList(...sections, more, none);
  }

  /** Keeps the focus on the pin that was pressed, and brings the chosen tool into sight once. @param {...(Node | null)} content */
  #replaceList(...content) {
    const pressed = this.list.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.pin
      : undefined;
    fill(this.list, ...content);
    this.keys.takeRows();
    if (pressed !== undefined) this.#pinButtons().find(({ dataset }) => dataset.pin === pressed)?.focus();
    if (this.hasScrolled || !this.parts.inventory.isLoaded) return;
    this.hasScrolled = true;
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  /** @returns {HTMLElement[]} */
  #pinButtons() {
    return [...this.list.querySelectorAll("[data-pin]")].map((found) => /** @type {HTMLElement} */ (found));
  }

  /** @param {Tool} tool @param {boolean} isPinned */
  #toolRow(tool, isPinned) {
    const isChosen = tool.name === this.toolName;
    return el(
      "li",
      null,
      methodTag(tool.method, tool.safe),
      link(tool.name, viewAddress("tools", tool.name), {
        "aria-current": isChosen ? "true" : null,
        class: tool.accepted ? "" : "muted",
        title: `${tool.method} ${tool.path}`,
      }),
      tool.accepted ? null : el("span", { class: "badge" }, "not accepted"),
      this.#hasOpenBreaker(tool) ? el("span", { class: "badge warning" }, "paused") : null,
      this.#mayPin() ? this.#pinButton(tool.name, isPinned) : null,
    );
  }

  /** @param {Tool} tool */
  #hasOpenBreaker({ server_id, key, origin }) {
    return this.parts.controls.breakersOf(server_id, key, [origin]).length > 0;
  }

  /** Where all tools are shown there is nothing to pin. */
  #mayPin() {
    const { selection } = this.parts.inventory;
    return selection !== null && (selection.shown < selection.total || selection.pinned.length > 0);
  }

  /** @param {string} name @param {boolean} isPinned */
  #pinButton(name, isPinned) {
    const press = (/** @type {Event} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-pressed", String(!isPinned));
      void this.#pin(name, !isPinned);
    };
    return button("Pin", press, {
      class: "pin",
      "aria-pressed": String(isPinned),
      "aria-label": `Pin ${name}`,
      title: isPinned ? "Pinned: shown to models. Press to unpin" : "Always show it to models, even when there are too many tools to show all",
      dataset: { pin: name },
    });
  }

  /** @param {string} name @param {boolean} isPinned */
  async #pin(name, isPinned) {
    fill(this.messages);
    try {
      const selection = await this.parts.inventory.changeSelection((choice) => withPin(choice, name, isPinned));
      announceSentence(`${name} is ${isPinned ? "pinned" : "no longer pinned"}. ${shownSentence(selection)}`);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
      this.#renderList();
    }
  }
}
