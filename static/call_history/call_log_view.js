// @ts-check
/** The calls of this user as one list, newest first, and beside it the one that is open. Both are in the address. */
import { t } from "../base/language.js";
import { button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { moreMenu } from "../ui/more_menu.js";
import { viewAddress } from "../ui/router.js";
import { chatTitles } from "../session/chat_titles.js";
import { filterQuery, readFilter } from "./call_filter.js";
import { CallFilters } from "./call_filters.js";
import { CallList } from "./call_list.js";
import { CallReader } from "./call_reader.js";
import { CallTable } from "./call_table.js";
import { QueuedCalls } from "./queued_calls.js";

/** @typedef {import("./call_list.js").ListedCall} ListedCall */
/** @typedef {import("./call_filter.js").CallFilter} CallFilter */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** Milliseconds between looks at what others have called. */
const LOOK_MS = 20_000;
/** Milliseconds from a call's end until the bridge has written it down. */
const SETTLE_MS = 1500;
/** Pixels below the window at which older calls are read. */
const AHEAD_PX = 600;

export class CallLogView {
  /** @type {(() => void)[]} */
  #ends = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #looking = undefined;
  /** @type {ListedCall[]} */
  #shown = [];
  /** @type {import("./call_panel.js").CallPanel | null} */
  #panel = null;

  /** @param {Parts} parts @param {string} [callId] of the call that is open; "": none @param {URLSearchParams} [query] filters of the address */
  constructor(parts, callId = "", query = new URLSearchParams()) {
    this.parts = parts;
    this.callId = callId;
    this.filter = readFilter(query);
    this.list = new CallList();
    this.reader = new CallReader(parts.controls.api, this.list, () => this.#render());
    /** @type {import("../types/view_types.js").OriginNames} */
    this.names = { titleOf: chatTitles(parts.api), devices: parts.devices };
    this.filters = new CallFilters(parts, this.list, (change) => this.#choose(change));
    this.table = new CallTable({ open: (id) => this.#goTo(id), cancel: (id) => this.#cancel(id) });
    this.note = el("div", { class: "list-end", "aria-live": "polite" });
    this.end = el("div", { "aria-hidden": "true" });
    this.place = el("div", { class: "call-place" });
    this.split = el("div", { class: "calls-split" });
    this.queued = new QueuedCalls(parts.controls.api, parts.executor);
  }

  /** @param {HTMLElement} container */
  start(container) {
    const log = el("div", { role: "region", "aria-label": t`Call log` }, this.table.element, this.note, this.end);
    const side = el("div", { class: "calls-side" }, this.#title(), this.filters.barPlace, this.queued.element, log);
    fill(this.split, side, this.place);
    fill(container, this.split);
    this.filters.showFilter(this.filter);
    this.table.start();
    const { executor } = this.parts;
    for (const entry of executor.calls) this.list.putLive(entry);
    this.#ends = [executor.onCall((entry) => this.#takeLive(entry)), this.#listen()];
    this.queued.start();
    this.#render();
    void this.reader.readNewest(this.filter).then(() => this.#openCall());
    void this.#openCall();
    this.#lookAfter(LOOK_MS);
  }

  stop() {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#looking);
    this.filters.stop();
    this.reader.stop();
    this.queued.stop();
    this.table.stop();
  }

  /** Another call, or other filters: the list stays. @param {import("../ui/router.js").Route} route */
  followRoute({ section, parts: [id = ""], query }) {
    if (section !== "calls") return false;
    const before = this.callId;
    this.callId = id;
    const filter = readFilter(query);
    if (filterQuery(filter) !== filterQuery(this.filter)) this.#apply(filter);
    void this.#openCall(true);
    if (id === "") this.table.focusCall(before);
    return true;
  }

  #title() {
    const exported = button(t`Export as HAR`, () => void this.#export(), { class: "quiet" });
    return el(
      "div",
      { class: "title-row" },
      el("h1", null, t`Calls`),
      link(t`When to ask`, viewAddress("approval"), { class: "quiet-link" }),
      link(t`Charts`, viewAddress("charts"), { class: "quiet-link" }),
      link(t`Audit log`, viewAddress("audit"), { class: "quiet-link" }),
      el("div", { class: "filters" }, ...this.filters.controls, moreMenu(t`More about this list`, [exported])),
    );
  }

  /** @returns {() => void} ends it */
  #listen() {
    const ends = new AbortController();
    const { signal } = ends;
    const readOn = (/** @type {IntersectionObserverEntry[]} */ [{ isIntersecting }]) => {
      if (isIntersecting) void this.reader.readMore();
    };
    const seen = new IntersectionObserver(readOn, { rootMargin: `${AHEAD_PX}px` });
    seen.observe(this.end);
    signal.addEventListener("abort", () => seen.disconnect());
    document.addEventListener("visibilitychange", () => document.hidden || this.#lookAfter(0), { signal });
    return () => ends.abort();
  }

  /** @param {import("../types/types.js").CallEntry} entry */
  #takeLive(entry) {
    this.list.putLive(entry);
    this.#render();
    if (entry.duration_ms !== null) this.#lookAfter(SETTLE_MS);
  }

  /** @param {number} ms */
  #lookAfter(ms) {
    clearTimeout(this.#looking);
    this.#looking = setTimeout(() => {
      this.#lookAfter(LOOK_MS);
      if (!document.hidden) void this.reader.refresh();
    }, ms);
  }

  #render() {
    const { hasMore } = this.reader;
    this.#shown = this.list.listCalls(this.filter, Date.now());
    this.table.showCalls(this.#shown, hasMore);
    fill(this.note, ...this.#noteParts());
    this.filters.showFilter(this.filter);
    const open = this.list.findCall(this.callId);
    if (open) this.#panel?.show(open);
    if (hasMore && this.end.getBoundingClientRect().top < innerHeight + AHEAD_PX) void this.reader.readMore();
  }

  /** @returns {(Node | null)[]} */
  #noteParts() {
    const { failure, isRead, hasMore } = this.reader;
    if (failure) {
      const again = button(t`Try again`, () => void this.reader.readNewest(this.filter), { class: "quiet small" });
      return [notice("warning", t`Earlier calls cannot be read. ${sentenceOf(failure)}`, " ", again)];
    }
    if (!isRead || hasMore) return [el("p", { class: "hint" }, t`Loading…`)];
    if (this.#shown.length > 0) return [this.#refusedNote(), el("p", { class: "hint" }, END)];
    const isAll = filterQuery(this.filter) === "";
    const [drawing, words] = isAll ? ["no-calls", NONE] : ["no-hits", t`No call of the last 30 days fits.`];
    return [el("p", { class: "empty", drawing }, words)];
  }

  #refusedNote() {
    const { refusedTotal, refusedListed } = this.reader;
    if (refusedTotal <= refusedListed || !["", "refused"].includes(this.filter.state)) return null;
    const words = t`${refusedTotal} calls were refused in the last 30 days. Only the newest ${refusedListed} are listed.`;
    return el("p", { class: "hint" }, words);
  }

  /** @param {Partial<CallFilter>} change */
  #choose(change) {
    this.#apply({ ...this.filter, ...change });
    history.replaceState(null, "", this.#addressOf(this.callId));
  }

  /** @param {CallFilter} filter */
  #apply(filter) {
    this.filter = filter;
    this.#render();
    void this.reader.readNewest(filter);
  }

  /** @param {string} id "": the list alone */
  #addressOf(id) {
    return (id === "" ? viewAddress("calls") : viewAddress("calls", id)) + filterQuery(this.filter);
  }

  /** @param {string} id "": the list alone */
  #goTo(id) {
    const address = this.#addressOf(id);
    if (location.hash === address) void this.#openCall(true);
    else location.hash = address;
  }

  /** Wherever it runs. @param {string} id */
  #cancel(id) {
    if (this.list.findCall(id)?.live) return this.parts.executor.cancelCall(id);
    const { api } = this.parts.controls;
    const look = () => void this.reader.refresh();
    void api.cancelCall(id).then(look, look);
  }

  /** @param {boolean} [isChosenNow] it gets the focus */
  async #openCall(isChosenNow = false) {
    const id = this.callId;
    this.split.classList.toggle("has-choice", id !== "");
    this.table.markOpen(id);
    if (id === "") return fill(this.place);
    const { CallPanel } = await import("./call_panel.js");
    const found = this.list.findCall(id) ?? (await this.#findStored(id));
    if (this.callId !== id) return;
    if (found === null) return this.reader.isRead && fill(this.place, notice("warning", UNKNOWN));
    this.#panel ??= new CallPanel(this.parts, this.names, () => this.#goTo(""));
    this.#panel.show(found);
    if (!this.#panel.element.isConnected) fill(this.place, this.#panel.element);
    if (isChosenNow) this.#panel.focusTitle();
  }

  /** @param {string} id @returns {Promise<ListedCall | null>} */
  async #findStored(id) {
    const stored = await this.parts.controls.api.readCall(id).catch(() => null);
    if (stored) this.list.putStored(stored);
    return this.list.findCall(id);
  }

  async #export() {
    const { saveHar } = await import("./har.js");
    saveHar(this.#shown, this.parts.inventory, this.reader.hasMore);
  }
}

const NONE = t`No calls yet. Try a tool, or ask a model to use one: each call appears here as it runs.`;
const END = t`No earlier calls. The bridge stores calls for 30 days.`;
const UNKNOWN = t`This call is not known. Calls are stored for 30 days.`;
