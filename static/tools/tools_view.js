// @ts-check
/** The tools, searchable, which of them models are shown, and the one being tried. */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { drawing } from "../ui/icon.js";
import { viewAddress } from "../ui/router.js";
import { shownSentence, withPin } from "../session/selection.js";
import { findTools } from "../session/tool_filter.js";
import { loadTokens } from "../session/tool_tokens.js";
import { ToolFilterView } from "./tool_filter_view.js";
import { ToolList } from "./tool_list.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../trying/try_view.js").TryView} TryView  loaded when a tool is chosen: the list comes first */

export class ToolsView {
  /**
   * @param {Parts} parts
   * @param {string} toolName the tool to try, may be empty
   * @param {URLSearchParams} query `args`: its arguments, as a link has them; `server`: whose tools are listed
   */
  constructor(parts, toolName, query) {
    this.parts = parts;
    this.shared = query.get("args");
    this.toolName = toolName;
    this.filter = new ToolFilterView(() => this.#renderList(), query.get("server"));
    this.shown = el("p", { class: "hint", dataset: { testid: "shown" } });
    this.messages = el("div", { "aria-live": "polite" });
    this.none = el("p", { class: "hint" });
    this.list = new ToolList((name, isPinned) => void this.#pin(name, isPinned));
    this.place = el("div", { class: "try" });
    this.split = el("div", { class: "split" });
    /** @type {TryView | null} */
    this.trial = null;
    /** What the trial shows, or will show once it is loaded. */
    this.trialFor = "";
    /** What their definitions take, and of which revision that is known. @type {import("../types/api_types.js").ToolTokens} */
    this.tokens = { tools: {}, revision: "" };
    this.hasScrolled = false;
    /** @type {(() => void)[]} */
    this.subscriptions = [];
  }

  /** @param {HTMLElement} container */
  start(container) {
    const parts = [
      el("h1", null, t`Tools`),
      this.shown,
      this.filter.element,
      this.messages,
      this.none,
      this.list.element,
    ];
    const side = el("div", { class: "side" }, ...parts);
    const back = link(t`All tools`, viewAddress("tools"), { class: "back" });
    fill(this.split, side, el("div", null, back, this.place));
    fill(container, this.split);
    this.list.start();
    const { inventory, controls } = this.parts;
    this.subscriptions = [inventory.onChange(() => this.#render()), controls.onChange(() => this.#renderList())];
    this.#render();
  }

  stop() {
    for (const end of this.subscriptions.splice(0)) end();
    this.trialFor = "";
    this.trial?.stop();
    this.trial = null;
    this.list.stop();
  }

  /** Another tool of the same list: the list stays as it is. @param {import("../ui/router.js").Route} route */
  followRoute({ section, parts: [toolName = ""], query }) {
    if (section !== "tools") return false;
    this.toolName = toolName;
    this.shared = query.get("args");
    this.trial?.stop();
    this.trial = null;
    this.trialFor = "";
    this.hasScrolled = false;
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
    void this.#countTokens();
    const tool = inventory.tools.find(({ name }) => name === this.toolName);
    if (tool) void this.#try(tool, isChosenNow);
    else fill(this.place, this.#nothingChosen());
  }

  /** The list does not wait for it. */
  async #countTokens() {
    const { inventory, api } = this.parts;
    if (!inventory.isLoaded || inventory.tools.length === 0 || this.tokens.revision === inventory.revision) return;
    const tokens = await loadTokens(api).catch(() => null);
    if (tokens === null || this.subscriptions.length === 0) return;
    this.tokens = tokens;
    this.#renderList();
  }

  #renderShown() {
    const { selection } = this.parts.inventory;
    const change = link(t`Choose`, viewAddress("selection"), {
      "aria-label": t`Choose which tools are shown to models`,
    });
    fill(this.shown, ...(selection === null || selection.total === 0 ? [] : [shownSentence(selection), " ", change]));
  }

  /** Loads the arguments of the tool, unless what is there shows it as it is; then the new form takes the place. @param {Tool} tool @param {boolean} isChosenNow it gets the focus */
  async #try(tool, isChosenNow) {
    const server = this.parts.inventory.servers.find(({ id }) => id === tool.server_id);
    const version = JSON.stringify([tool.name, tool.accepted, tool.key, server?.digest, server?.base_url]);
    if (version === this.trialFor) return;
    this.trialFor = version;
    if (this.trial === null) fill(this.place, el("p", { class: "hint" }, t`Loading…`));
    try {
      const [full, { TryView }] = await Promise.all([
        this.parts.api.readTool(tool.name),
        import("../trying/try_view.js"),
      ]);
      if (this.trialFor !== version) return;
      this.trial?.stop();
      this.trial = new TryView(this.parts, full, this.shared);
      this.shared = null; // what is typed from now on counts
      const hadFocus = this.place.contains(document.activeElement);
      fill(this.place, this.trial.element);
      if (isChosenNow || hadFocus) this.trial.focusTitle();
    } catch (failure) {
      if (this.trialFor === version) fill(this.place, notice("error", sentenceOf(failure)));
    }
  }

  #nothingChosen() {
    const { inventory } = this.parts;
    if (!inventory.isLoaded) return el("p", { class: "hint" }, t`Loading…`);
    if (this.toolName)
      return el(
        "p",
        { class: "empty" },
        t`There is no tool named ${this.toolName}.`,
        " ",
        link(t`All tools`, viewAddress("tools")),
      );
    if (inventory.tools.length > 0)
      return el("p", { class: "empty" }, t`Choose a tool to see its arguments and try it.`);
    return el("p", { class: "empty" }, t`There are no tools yet.`, " ", link(t`Add a server`, viewAddress("add")));
  }

  #found() {
    const { tools, selection } = this.parts.inventory;
    return findTools(tools, this.filter.readFilter(), new Set(selection?.pinned));
  }

  /** The search hides what was just opened, from elsewhere. */
  #isHidden() {
    const isTool = (/** @type {Tool} */ { name }) => name === this.toolName;
    return this.parts.inventory.tools.some(isTool) && !this.#found().some(isTool);
  }

  #renderList() {
    const { inventory } = this.parts;
    if (!this.hasScrolled && this.#isHidden()) this.filter.clearSearch();
    const filter = this.filter.readFilter();
    const tools = this.#found();
    const isNone = tools.length === 0 && inventory.tools.length > 0;
    fill(this.none, ...(isNone ? [drawing("no-hits"), t`No tool matches.`, " ", this.#clearButton()] : []));
    this.list.showTools({
      tools,
      pinned: new Set(inventory.selection?.pinned),
      isRanked: filter.query.trim() !== "",
      isFiltered: Object.values(filter).some((value) => value !== ""),
      chosen: this.toolName,
      titles: new Map(inventory.servers.map(({ id, title }) => [id, title])),
      mayPin: this.#mayPin(),
      isPaused: (tool) => this.#hasOpenBreaker(tool),
      tokens: this.tokens.tools,
    });
    if (this.hasScrolled || !inventory.isLoaded) return;
    this.hasScrolled = true;
    this.list.revealTool(this.toolName);
  }

  #clearButton() {
    const clear = () => {
      this.filter.clearSearch();
      this.#renderList();
      this.filter.search.focus();
    };
    return button(t`Clear the search`, clear, { class: "quiet small" });
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
  async #pin(name, isPinned) {
    fill(this.messages);
    try {
      const selection = await this.parts.inventory.changeSelection((choice) => withPin(choice, name, isPinned));
      announceSentence(
        `${isPinned ? t`${name} is pinned.` : t`${name} is no longer pinned.`} ${shownSentence(selection)}`,
      );
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
      this.#renderList();
    }
  }
}
