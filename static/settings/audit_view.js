// @ts-check
/** What happened, from the bridge's audit log: newest first, by kind; the operator may look at every user's. */
import { button, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/api_types.js").AuditEntry} AuditEntry */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** @type {Record<string, string>} */
const KINDS = {
  call: "Call",
  decision: "Decision about a call",
  grant: "Permission revoked",
  acceptance: "Operations accepted",
  document_added: "Document added",
  document_changed: "Document changed",
  document_removed: "Document removed",
  settings: "Setting changed",
  key_made: "Key created",
  key_revoked: "Key revoked",
  device_paired: "Browser paired",
  device_removed: "Browser removed",
  started: "Bridge started",
  stopped: "Bridge stopped",
  refused: "Access refused",
};

const HEAD = ["Time", "What", "User", "By", "Where", "Details"];

export class AuditView {
  /** @param {Parts} parts */
  constructor({ api }) {
    this.api = api;
    const reload = () => void this.#load(null);
    const choices = [["", "Everything"], ...Object.entries(KINDS)];
    this.kind = el("select", { onchange: reload }, ...choices.map(([value, label]) => el("option", { value }, label)));
    this.all = el("input", { type: "checkbox", onchange: reload });
    this.everybody = el("label", { class: "check", hidden: true }, this.all, " Every user");
    this.messages = el("div");
    this.body = el("tbody");
    this.more = button("Older entries", () => void this.#load(this.next), { class: "quiet", hidden: true });
    /** @type {string | null} */
    this.next = null;
    /** Answers of questions that were asked before the last one are late. */
    this.asked = 0;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const head = el("thead", null, el("tr", null, ...HEAD.map((label) => el("th", { scope: "col" }, label))));
    const table = el("table", { class: "audit", "aria-label": "Audit log" }, head, this.body);
    const filters = el("div", { class: "filters" }, labelledField("Show", this.kind), this.everybody);
    const place = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Entries" };
    const title = el("div", { class: "title-row" }, el("h1", null, "Audit log"), filters);
    fill(container, title, this.messages, el("div", place, table), this.more);
    await this.#load(null);
    const me = await this.api.sendRequest("GET", "/api/me").catch(() => ({ operator: false }));
    this.everybody.hidden = !me.operator;
  }

  stop() {
    this.asked += 1;
  }

  /** @param {string | null} before where to read on; null: from the newest */
  async #load(before) {
    this.asked += 1;
    const asked = this.asked;
    const query = new URLSearchParams();
    if (before) query.set("before", before);
    if (this.kind.value) query.set("kind", this.kind.value);
    if (this.all.checked) query.set("users", "all");
    try {
      const found = await this.api.sendRequest("GET", `/api/audit?${query}`);
      if (asked === this.asked) this.#show(found, before === null);
    } catch (failure) {
      if (asked === this.asked) fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {import("../types/api_types.js").AuditList} found @param {boolean} isAnew */
  #show({ entries, next }, isAnew) {
    fill(this.messages, isAnew && entries.length === 0 ? notice("note", "No entries of this kind yet.") : "");
    if (isAnew) fill(this.body);
    this.body.append(...entries.map(entryRow));
    this.next = next;
    this.more.hidden = next === null;
  }
}

/** @param {AuditEntry} entry */
function entryRow(entry) {
  const time = new Date(entry.at * 1000);
  const call = entry.call_id === null ? null : link("call", viewAddress("calls"), { title: entry.call_id });
  const where = [entry.server, entry.operation].filter((part) => part !== null).join(" ");
  return el(
    "tr",
    { dataset: { kind: entry.kind } },
    el("td", { class: "facts" }, el("time", { datetime: time.toISOString() }, time.toLocaleString())),
    el("th", { scope: "row" }, KINDS[entry.kind] ?? entry.kind),
    el("td", null, entry.user ?? ""),
    el("td", null, entry.actor),
    el("td", { class: "mono" }, where, where && call ? " " : "", call),
    el("td", null, detailFacts(entry.detail)),
  );
}

/** @param {Record<string, unknown>} detail */
function detailFacts(detail) {
  const written = (/** @type {unknown} */ value) => (typeof value === "string" ? value : JSON.stringify(value));
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${written(value)}`)
    .join(", ");
}
