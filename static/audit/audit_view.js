// @ts-check
/** What happened, from the bridge's audit log: newest first, by kind; the operator may look at every user's. */
import { t } from "../base/language.js";
import { formatMoment, formatTime } from "../base/time_format.js";
import { chatName } from "../ui/asked_by.js";
import { chatTitles } from "../session/chat_titles.js";
import { actorWords, factWords, KINDS } from "./audit_labels.js";
import { button, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/api_types.js").AuditEntry} AuditEntry */
/** @typedef {import("../types/view_types.js").Parts} Parts */

const HEAD = [t`Time`, t`What`, t`User`, t`By`, t`Where`, t`Details`];

export class AuditView {
  /** @param {Parts} parts */
  constructor({ api, devices }) {
    this.api = api;
    this.devices = devices;
    this.titleOf = chatTitles(api);
    /** Of browsers and keys. @type {import("./audit_labels.js").Names} */
    this.names = new Map();
    const reload = () => void this.#load(null);
    const choices = [["", t`Everything`], ...Object.entries(KINDS)];
    this.kind = el("select", { onchange: reload }, ...choices.map(([value, label]) => el("option", { value }, label)));
    this.all = el("input", { type: "checkbox", onchange: reload });
    this.everybody = el("label", { class: "check", hidden: true }, this.all, t` Every user`);
    this.messages = el("div");
    this.body = el("tbody");
    this.more = button(t`Older entries`, () => void this.#load(this.next), { class: "quiet", hidden: true });
    /** @type {string | null} */
    this.next = null;
    /** Answers of questions that were asked before the last one are late. */
    this.asked = 0;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const head = el("thead", null, el("tr", null, ...HEAD.map((label) => el("th", { scope: "col" }, label))));
    const table = el("table", { class: "audit", "aria-label": t`Audit log` }, head, this.body);
    const filters = el("div", { class: "filters" }, labelledField(t`Show`, this.kind), this.everybody);
    const place = { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Entries` };
    const title = el("div", { class: "title-row" }, el("h1", null, t`Audit log`), filters);
    fill(container, title, this.messages, el("div", place, table), this.more);
    await this.#learnNames();
    await this.#load(null);
    const me = await this.api.sendRequest("GET", "/api/me").catch(() => ({ operator: false }));
    this.everybody.hidden = !me.operator;
  }

  stop() {
    this.asked += 1;
  }

  /** Without names the entries still say what happened. */
  async #learnNames() {
    const [keys] = await Promise.all([
      this.api.listKeys().catch(() => []),
      this.devices.loadDevices().catch(() => undefined),
    ]);
    this.names = new Map(keys.map(({ id, label }) => [id, label]));
    for (const { id, name } of this.devices.list) this.names.set(id, name);
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
    fill(this.messages, isAnew && entries.length === 0 ? notice("note", t`No entries of this kind yet.`) : "");
    if (isAnew) fill(this.body);
    this.body.append(...entries.map((entry) => this.#entryRow(entry)));
    this.next = next;
    this.more.hidden = next === null;
  }

  /** @param {AuditEntry} entry */
  #entryRow(entry) {
    const ms = entry.at * 1000;
    const call = entry.call_id === null ? null : link(t`call`, viewAddress("calls"), { title: entry.call_id });
    const { chat } = entry.detail;
    const by = actorWords(entry.actor, this.names);
    const isOwn = entry.actor === `page ${this.devices.ownDevice?.id}`;
    const where = [entry.server, entry.operation].filter((part) => part !== null).join(" ");
    return el(
      "tr",
      { dataset: { kind: entry.kind } },
      el(
        "td",
        { class: "facts" },
        el("time", { datetime: new Date(ms).toISOString(), title: formatMoment(ms) }, formatTime(ms)),
      ),
      el("th", { scope: "row" }, KINDS[entry.kind] ?? entry.kind),
      el("td", null, entry.user ?? ""),
      el("td", { class: "wrap" }, isOwn ? t`${by} (this browser)` : by),
      el("td", { class: "mono" }, where, where && call ? " " : "", call),
      el(
        "td",
        null,
        factWords(entry.detail, this.names),
        ...(typeof chat === "string" ? [" · ", t`Chat`, " ", chatName(chat, this.titleOf)] : []),
      ),
    );
  }
}
