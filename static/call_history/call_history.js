// @ts-check
/** Calls that the bridge stores and this page does not remember: earlier ones, and those of other browsers. */
import { t } from "../base/language.js";
import { button, copyButton, el, factList, fill, freshId, link, notice, sentenceOf } from "../ui/dom.js";
import { callerOf, originFacts } from "../ui/asked_by.js";
import { viewAddress } from "../ui/router.js";
import { kindOfStored } from "./call_filter.js";
import { callAgain, companionBadge, lateResultText, storedCallFacts } from "./stored_call.js";
import { formatTime } from "../base/time_format.js";
import { formatDuration, errorView, stateWords } from "../ui/outcome_view.js";
import { formatBody, textView } from "../ui/response_view.js";

/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {import("../session/controls_api.js").ControlsApi} ControlsApi */
/** @typedef {import("../types/view_types.js").OriginNames} OriginNames */

export class CallHistory {
  /** @param {ControlsApi} api @param {(callId: string) => boolean} isShown whether the page remembers the call itself @param {OriginNames} names */
  constructor(api, isShown, names) {
    this.api = api;
    this.names = names;
    this.isShown = isShown;
    /** Where to read on; null at the end. @type {number | null} */
    this.next = null;
    /** The first page, read before anybody asks for it. @type {import("../types/api_types.js").StoredCallPage | null} */
    this.ahead = null;
    this.list = el("table", { class: "calls", "aria-label": t`Earlier calls`, hidden: true });
    this.heading = el("h2", { hidden: true }, t`Earlier calls`);
    this.messages = el("div", { "aria-live": "polite" });
    this.more = button(t`Show earlier calls`, () => void this.#load(), { class: "quiet", hidden: true });
    this.element = el(
      "div",
      { class: "stack" },
      this.heading,
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Earlier calls` }, this.list),
      this.messages,
      el("div", { class: "actions" }, this.more),
    );
  }

  /** One call, opened, above the others. @param {string} callId @returns {Promise<HTMLElement | null>} null: it is not stored */
  async openCall(callId) {
    try {
      const row = historyRow(await this.api.readCall(callId), this.api, this.names);
      this.list.prepend(row);
      this.list.hidden = this.heading.hidden = false;
      row.querySelector("button")?.click();
      return row;
    } catch (failure) {
      fill(this.messages, notice("warning", sentenceOf(failure)));
      return null;
    }
  }

  /** Offers earlier calls if there are any, or if nobody can say. */
  async findEarlier() {
    this.ahead = await this.api.listCalls(null).catch(() => null);
    this.more.hidden =
      this.ahead !== null && this.ahead.next === null && this.#earlierOf(this.ahead.calls).length === 0;
  }

  /** @param {StoredCall[]} calls */
  #earlierOf(calls) {
    return calls.filter(({ call_id, ended_at }) => ended_at !== null && !this.isShown(call_id));
  }

  async #load() {
    fill(this.messages);
    try {
      const { calls, next } = this.ahead ?? (await this.api.listCalls(this.next));
      this.ahead = null;
      this.list.append(...this.#earlierOf(calls).map((call) => historyRow(call, this.api, this.names)));
      this.list.hidden = this.heading.hidden = this.list.rows.length === 0;
      this.next = next;
      this.more.textContent = t`Show more`;
      this.more.hidden = next === null;
      if (next === null)
        fill(this.messages, el("p", { class: "hint" }, t`No earlier calls. The bridge stores calls for 30 days.`));
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }
}

/** @param {StoredCall} call @param {ControlsApi} api @param {OriginNames} names */
function historyRow(call, api, names) {
  const detail = el("tr", { class: "call-detail", id: freshId("stored"), hidden: true });
  const toggle = () => {
    detail.hidden = !detail.hidden;
    opener.setAttribute("aria-expanded", String(!detail.hidden));
    if (!detail.hidden) fill(detail, el("td", { colspan: 6 }, ...detailOf(call, api, names)));
  };
  const opener = button(call.tool, toggle, { class: "opener", "aria-expanded": "false", "aria-controls": detail.id });
  const at = new Date(1000 * call.opened_at);
  const line = el(
    "tr",
    null,
    el("td", { class: "facts" }, el("time", { datetime: at.toISOString() }, formatTime(at.getTime()))),
    el("th", { scope: "row" }, opener, callerOf(call.asked_by)),
    el("td", { class: "mono url-cell" }, call.operation),
    el("td", null, ...callBadges(call)),
    el(
      "td",
      { class: "number" },
      call.ended_at === null ? "" : formatDuration(1000 * (call.ended_at - call.opened_at)),
    ),
  );
  return el("tbody", { dataset: { call: call.call_id } }, line, detail);
}

/** @param {StoredCall} call */
function callBadges({ state, http_status, error, late, transport, login }) {
  const status = http_status ?? error?.detail.status ?? error?.code ?? state;
  const words = stateWords(String(status));
  const ending = el("span", { class: `badge ${kindOfStored(state)}` }, words);
  const way = transport === "companion" ? [" ", companionBadge(login === true)] : [];
  const later = lateResultText(late) === "" ? [] : [" ", el("span", { class: "badge warning" }, t`late result`)];
  return [ending, ...way, ...later];
}

/** @param {StoredCall} call @param {ControlsApi} api @param {OriginNames} names */
function detailOf(call, api, names) {
  const { call_id, tool, server, safe, error } = call;
  const again = callAgain({ call_id, tool, safe }, api);
  const text = call.arguments;
  const args = text === null ? null : copyButton(t`Copy the arguments`, () => text);
  return [
    el(
      "div",
      { class: "actions" },
      again.button,
      args,
      link(t`Open the tool`, viewAddress("tools", tool), { class: "button quiet small" }),
    ),
    factList(originFacts(call, names), "origin"),
    again.place,
    storedCallFacts(call),
    error ? errorView(error, server) : null,
    text === null
      ? el("p", { class: "hint" }, t`The arguments were too long to store.`)
      : el("section", { "aria-label": t`Arguments` }, el("h3", null, t`Arguments`), textView(formatBody(text, "json"))),
  ];
}
