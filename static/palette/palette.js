// @ts-check
/** The command palette: a dialog that finds views, tools, servers, calls and chats by words, for keys alone. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, freshId, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { drawing } from "../ui/icon.js";
import { findEntries, groupEntries } from "./entries.js";
import { findCalls, findChats, listEntries } from "./sources.js";

/** @typedef {import("./entries.js").Entry} Entry */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** Milliseconds of rest before chats and stored calls are searched: the bridge does that. */
const REST_MS = 200;

export class Palette {
  /** An entry keeps its option when others are added: who reads or presses it still has it. @type {WeakMap<Entry, HTMLElement>} */
  #options = new WeakMap();

  /** @param {Parts} parts @param {{showKeys: () => void}} actions */
  constructor(parts, { showKeys }) {
    this.parts = parts;
    this.showKeys = showKeys;
    /** @type {Entry[]} */
    this.local = [];
    /** Chats and calls of the last words, as the bridge answered. @type {Entry[]} */
    this.stored = [];
    /** What is shown, in the order of the arrow keys. @type {{entry: Entry, option: HTMLElement}[]} */
    this.shown = [];
    this.chosen = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.list = el("div", {
      role: "listbox",
      id: freshId("palette"),
      class: "palette-list",
      "aria-label": t`What was found`,
    });
    this.input = this.#searchField(this.list.id);
    this.note = el("p", { class: "hint" });
    this.element = el("dialog", { class: "palette", "aria-label": t`Search` }, this.input, this.list, this.note);
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    this.element.addEventListener("keydown", (event) => this.#pressAnywhere(event));
    this.element.addEventListener("close", () => this.#remove());
  }

  /** @param {string} listId of what it finds */
  #searchField(listId) {
    return el("input", {
      type: "text", // in a search field the first Escape would only empty it
      role: "combobox",
      "aria-label": t`Search tools, servers, calls, chats and views`,
      "aria-expanded": "true",
      "aria-controls": listId,
      "aria-autocomplete": "list",
      placeholder: t`Search tools, servers, calls, chats…`,
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#search(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
    });
  }

  open() {
    document.body.append(this.element);
    this.local = listEntries(this.parts, this.showKeys);
    this.element.showModal();
    this.#search();
  }

  #remove() {
    clearTimeout(this.timer);
    this.element.remove();
  }

  #search() {
    this.stored = [];
    this.#render();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.#addStored(this.input.value), REST_MS);
  }

  /** @param {string} query */
  async #addStored(query) {
    const answers = await Promise.allSettled([findCalls(this.parts, query), findChats(this.parts, query)]);
    if (query !== this.input.value || !this.element.open) return;
    const known = new Set(this.local.map(({ address }) => address));
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    this.stored = found.filter(({ kind, address }) => kind !== t`Calls` || !known.has(address));
    this.#render(this.chosen);
    const failed = answers.find((answer) => answer.status === "rejected");
    if (failed) fill(this.note, t`The bridge was not searched: ${sentenceOf(failed.reason)}`);
  }

  /** @param {number} [chosen] */
  #render(chosen = 0) {
    const groups = groupEntries([...findEntries(this.local, this.input.value), ...this.stored]);
    this.shown[this.chosen]?.option.setAttribute("aria-selected", "false");
    this.shown = groups.flatMap(({ entries }) => entries).map((entry) => ({ entry, option: this.#optionOf(entry) }));
    const boxes = groups.map(({ kind, entries, more }) => {
      const title = el(
        "div",
        { class: "palette-kind", id: freshId("kind") },
        more > 0 ? `${kind} (${formatCount(more, "more", "more")})` : kind,
      );
      return el(
        "div",
        { role: "group", "aria-labelledby": title.id },
        title,
        ...entries.map((entry) => this.#optionOf(entry)),
      );
    });
    fill(this.list, ...boxes);
    fill(this.note, ...(this.shown.length === 0 ? [drawing("no-hits"), t`Nothing has all of these words.`] : []));
    this.#choose(Math.min(chosen, this.shown.length - 1));
    announceSentence(formatCount(this.shown.length, "result"));
  }

  /** @param {Entry} entry @returns {HTMLElement} */
  #optionOf(entry) {
    const known = this.#options.get(entry);
    if (known) return known;
    const properties = {
      role: "option",
      id: freshId("option"),
      "aria-selected": "false",
      onclick: () => this.#take(entry),
    };
    const made = el("div", properties, el("span", null, entry.label), el("span", { class: "facts" }, entry.detail));
    this.#options.set(entry, made);
    return made;
  }

  /** @param {number} place */
  #choose(place) {
    this.shown[this.chosen]?.option.setAttribute("aria-selected", "false");
    this.chosen = Math.max(0, place);
    const option = this.shown[this.chosen]?.option;
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const count = this.shown.length;
    /** @type {Record<string, number>} */
    const places = {
      ArrowDown: (this.chosen + 1) % count,
      ArrowUp: (this.chosen + count - 1) % count,
      PageDown: count - 1,
      PageUp: 0,
    };
    const place = places[event.key];
    if (place !== undefined && count > 0) this.#choose(place);
    else if (event.key === "Enter" && !event.isComposing && this.shown[this.chosen])
      this.#take(/** @type {{entry: Entry}} */ (this.shown[this.chosen]).entry);
    else return;
    event.preventDefault();
  }

  /** Closes what the same keys have opened; the browser has another use for them. @param {KeyboardEvent} event */
  #pressAnywhere(event) {
    if (!this.element.open || event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.element.close();
  }

  /** @param {Entry} entry */
  #take({ address, run }) {
    this.element.close();
    if (run) run();
    else location.hash = address;
  }
}
