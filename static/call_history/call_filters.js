// @ts-check
/** The filters above the list of calls: words and state at once, the others behind a button, loaded when it is pressed. */
import { t } from "../base/language.js";
import { button, el, fill, labelledField } from "../ui/dom.js";

/** @typedef {import("./call_filter.js").CallFilter} CallFilter */
/** @typedef {import("./call_list.js").CallList} CallList */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** Milliseconds of rest before the bridge searches. */
const REST_MS = 250;

const STATES = [
  ["", t`All`],
  ["running", t`Running`],
  ["good", t`Succeeded`],
  ["bad", t`Failed`],
  ["not_made", t`Denied or cancelled`],
  ["refused", t`Refused by the bridge`],
];

export class CallFilters {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting = undefined;
  /** @type {import("./filter_bar.js").FilterBar | null} */
  #bar = null;
  /** Of calls that were made long ago. @type {string[]} */
  #askers = [];

  /** @param {Pick<Parts, "controls" | "inventory">} parts @param {CallList} list @param {(change: Partial<CallFilter>) => void} changed */
  constructor({ controls, inventory }, list, changed) {
    this.api = controls.api;
    this.inventory = inventory;
    this.list = list;
    this.changed = changed;
    /** @type {CallFilter} */
    this.filter = { text: "", state: "", asker: "", server: "", hours: "" };
    this.text = el("input", { type: "search", autocomplete: "off", oninput: () => this.#typed() });
    const states = STATES.map(([value, label]) => el("option", { value }, label));
    this.state = el("select", { onchange: () => changed({ state: this.state.value }) }, ...states);
    this.more = button(t`Filters`, () => void this.#toggleBar(), { class: "quiet", "aria-expanded": "false" });
    this.controls = [labelledField(t`Search`, this.text), labelledField(t`Show`, this.state), this.more];
    this.barPlace = el("div");
  }

  stop() {
    clearTimeout(this.#resting);
  }

  /** @param {CallFilter} filter */
  showFilter(filter) {
    const isNews = filter.text !== this.filter.text; // else a call that arrives would take away what is being typed
    this.filter = filter;
    if (isNews && this.#resting === undefined) this.text.value = filter.text;
    this.state.value = filter.state;
    const set = [filter.asker, filter.server, filter.hours].filter(Boolean).length;
    this.more.textContent = set > 0 ? t`Filters (${set})` : t`Filters`;
    this.#showBar();
    if (set > 0 && this.#bar === null) void this.#toggleBar();
  }

  #typed() {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.changed({ text: this.text.value });
    }, REST_MS);
  }

  async #toggleBar() {
    if (this.#bar) {
      this.#bar = null;
      fill(this.barPlace);
      return this.more.setAttribute("aria-expanded", "false");
    }
    const { FilterBar } = await import("./filter_bar.js");
    this.#bar ??= new FilterBar(this.changed);
    fill(this.barPlace, this.#bar.element);
    this.more.setAttribute("aria-expanded", "true");
    this.#showBar();
    this.#askers = await this.api.listAskers().catch(() => []);
    this.#showBar();
  }

  #showBar() {
    if (this.#bar === null) return;
    const askers = [...new Set([...this.#askers, ...this.list.listAskers()])].sort();
    const servers = this.inventory.servers.map(({ id, title }) => /** @type {[string, string]} */ ([id, title]));
    this.#bar.show(this.filter, { askers, servers });
  }
}
