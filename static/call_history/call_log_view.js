// @ts-check
/** The live log of calls this browser performs, whoever asked for them. Newest first; one row per call. */
import { t } from "../base/language.js";
import { el, fill, labelledField, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { chatTitles } from "../session/chat_titles.js";
import { CallHistory } from "./call_history.js";
import { CallRow } from "./call_row.js";
import { matchesFilter } from "./call_filter.js";
import { MAX_CALLS } from "../executor/call_log.js";
import { QueuedCalls } from "./queued_calls.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/view_types.js").Parts} Parts */

export class CallLogView {
  /** @param {Parts} parts @param {string} [callId] of a call that is shown opened */
  constructor(parts, callId = "") {
    this.parts = parts;
    this.callId = callId;
    this.executor = parts.executor;
    /** @type {import("../types/view_types.js").OriginNames} */
    this.names = { titleOf: chatTitles(parts.api), devices: parts.devices };
    /** @type {Map<string, CallRow>} */
    this.rows = new Map();
    this.text = el("input", { type: "search", autocomplete: "off", oninput: () => this.#filter() });
    this.state = el(
      "select",
      { onchange: () => this.#filter() },
      ...[
        ["", t`All`],
        ["running", t`Running`],
        ["good", t`Succeeded`],
        ["bad", t`Failed`],
        ["not_made", t`Denied or cancelled`],
      ].map(([value, label]) => el("option", { value }, label)),
    );
    this.table = el("table", { class: "calls", "aria-label": t`Calls` });
    this.empty = el(
      "p",
      { class: "empty", drawing: "no-calls" },
      t`No calls yet. Try a tool, or ask a model to use one: each call appears here as it runs.`,
    );
    this.queued = new QueuedCalls(parts.controls.api, this.executor);
    this.history = new CallHistory(parts.controls.api, (callId) => this.rows.has(callId), this.names);
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  start(container) {
    const head = [t`Time`, t`Tool`, t`Request`, t`Status`, t`Duration`, ""].map((label) =>
      el("th", { scope: "col" }, label || el("span", { class: "visually-hidden" }, t`Actions`)),
    );
    fill(this.table, el("thead", null, el("tr", null, ...head)));
    this.rows.clear();
    fill(
      container,
      el(
        "div",
        { class: "title-row" },
        el("h1", null, t`Calls`),
        link(t`When to ask`, viewAddress("approval"), { class: "quiet-link" }),
        link(t`Charts`, viewAddress("charts"), { class: "quiet-link" }),
        link(t`Audit log`, viewAddress("audit"), { class: "quiet-link" }),
        el("div", { class: "filters" }, labelledField(t`Search`, this.text), labelledField(t`Show`, this.state)),
      ),
      this.queued.element,
      this.empty,
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Call log` }, this.table),
      this.history.element,
    );
    this.unsubscribe ??= this.executor.onCall((entry) => this.#show(entry));
    for (const entry of this.executor.calls) this.#show(entry);
    this.#showEmptiness();
    this.queued.start();
    void this.history.findEarlier();
    if (this.callId !== "") void this.#open(this.callId);
  }

  /** This page may not remember the call; then the bridge does. @param {string} callId */
  async #open(callId) {
    const row = this.rows.get(callId);
    const element = row ? row.openDetail() : await this.history.openCall(callId);
    element?.scrollIntoView({ block: "center" });
  }

  stop() {
    this.queued.stop();
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  /** @param {CallEntry} entry */
  #show(entry) {
    const known = this.rows.get(entry.call_id);
    if (known) {
      known.updateEntry(entry);
    } else {
      const row = new CallRow(entry, this.parts, this.names);
      this.rows.set(entry.call_id, row);
      this.table.tHead?.after(row.element);
      this.#dropOldest();
      this.#showEmptiness();
    }
    this.#filterRow(entry.call_id);
  }

  #dropOldest() {
    const [oldest] = this.rows.keys();
    if (this.rows.size <= MAX_CALLS) return;
    this.rows.get(oldest)?.element.remove();
    this.rows.delete(oldest);
  }

  #showEmptiness() {
    this.empty.hidden = this.rows.size > 0;
    this.table.hidden = this.rows.size === 0;
  }

  #filter() {
    for (const callId of this.rows.keys()) this.#filterRow(callId);
  }

  /** @param {string} callId */
  #filterRow(callId) {
    const row = this.rows.get(callId);
    if (row) row.element.hidden = !matchesFilter(row.entry, { text: this.text.value, state: this.state.value });
  }
}
