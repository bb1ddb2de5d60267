// @ts-check
/** One call in the list: a line with when, what, how it ended, and a button that opens it. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { formatMoment, formatTime } from "../base/time_format.js";
import { callerOf } from "../ui/asked_by.js";
import { button, el, fill } from "../ui/dom.js";
import { formatDuration, stateWords } from "../ui/outcome_view.js";
import { viaWords } from "../ui/transport_labels.js";
import { isOpen, kindOf, kindOfEntry, kindOfStored } from "./call_filter.js";
import { companionBadge, lateResultText } from "./stored_call.js";

/** @typedef {import("./call_list.js").ListedCall} ListedCall */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {{open: (id: string) => void, cancel: (id: string) => void}} Actions */

export class CallLine {
  /** @param {ListedCall} call @param {Actions} actions */
  constructor(call, actions) {
    this.actions = actions;
    /** @type {ListedCall | null} */
    this.call = null;
    const tool = toolOf(call);
    this.opener = button(tool, () => actions.open(call.id), { class: "opener", "aria-expanded": "false" });
    const time = new Date(call.at);
    const when = el("time", { datetime: time.toISOString(), title: formatMoment(call.at) }, formatTime(call.at));
    this.request = el("div", { role: "cell", class: "mono url-cell" });
    this.status = el("div", { role: "cell", class: "status-cell" });
    this.duration = el("div", { role: "cell", class: "number" });
    this.action = el("div", { role: "cell", class: "action-cell" });
    this.element = el(
      "div",
      { role: "row", class: "call-line", dataset: { call: call.id } },
      el("div", { role: "cell", class: "facts" }, when),
      el("div", { role: "rowheader", class: "tool-cell" }, this.opener, callerOf(askerOf(call))),
      this.request,
      this.status,
      this.duration,
      this.action,
    );
    this.update(call, false);
  }

  /** @param {ListedCall} call the same call, later @param {boolean} isOpened its details are shown */
  update(call, isOpened) {
    this.opener.setAttribute("aria-expanded", String(isOpened));
    this.element.classList.toggle("opened", isOpened);
    if (call === this.call) return;
    this.call = call;
    this.element.dataset.state = kindOf(call);
    const request = requestLine(call);
    fill(this.request, request);
    this.request.title = call.live?.request?.url ?? request;
    fill(this.status, ...badgesOf(call));
    const ms = durationOf(call);
    this.duration.textContent = ms === null ? "" : formatDuration(ms);
    this.#offerCancel(call);
  }

  /** @param {ListedCall} call */
  #offerCancel({ id, live, stored }) {
    const isRunning = live ? isOpen(live.state) : stored !== null && stored.ended_at === null;
    if (isRunning === this.action.hasChildNodes()) return;
    const tool = live?.tool ?? stored?.tool ?? "";
    const properties = { class: "quiet small", "aria-label": t`Cancel ${tool}` };
    fill(this.action, isRunning ? button(t`Cancel`, () => this.actions.cancel(id), properties) : null);
  }
}

/** @param {ListedCall} call */
export const toolOf = ({ live, stored, refused }) => (live ?? stored ?? refused)?.tool ?? "";

/** @param {ListedCall} call */
export const askerOf = ({ live, stored, refused }) => (live ?? stored ?? refused)?.asked_by ?? null;

/** @param {ListedCall} call @returns {number | null} in ms; null: it has not ended, or never began */
function durationOf({ live, stored }) {
  if (live) return live.duration_ms;
  return stored && stored.ended_at !== null ? 1000 * (stored.ended_at - stored.opened_at) : null;
}

/** @param {ListedCall} call */
function requestLine({ live, stored }) {
  if (!live?.request) return live?.key ?? stored?.operation ?? "";
  const { method, url } = live.request;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return `${method} ${parsed ? `${parsed.host}${parsed.pathname}${parsed.search}` : url}`;
}

/** @type {Record<string, string>} */
const OPEN = dictionaryOf({ waiting: t`waiting for approval`, queued: t`queued`, running: t`running` });

/** @param {ListedCall} call */
export function badgesOf(call) {
  if (call.live) return entryBadges(call.live);
  return call.stored ? storedBadges(call.stored) : refusedBadges(call.refused?.code ?? "");
}

/** @param {CallEntry} entry */
function entryBadges(entry) {
  const words =
    entry.error?.code ??
    (entry.response ? `${entry.response.http_status} ${entry.response.status_text}`.trim() : OPEN[entry.state]);
  const way = entry.request && viaWords(entry.request.via, entry.request.url);
  const mark = way ? companionBadge(entry.request?.via.login ?? false, way) : null;
  return [el("span", { class: `badge ${kindOfEntry(entry)}` }, words), mark];
}

/** @param {StoredCall} call */
function storedBadges(call) {
  const { state, http_status, error, late, transport, login } = call;
  const words = stateWords(String(http_status ?? error?.detail.status ?? error?.code ?? state));
  const way = transport === "companion" ? companionBadge(login === true) : null;
  const later = lateResultText(late) === "" ? null : el("span", { class: "badge warning" }, t`late result`);
  return [el("span", { class: `badge ${kindOfStored(call)}` }, words), way, later];
}

/** @param {string} code */
const refusedBadges = (code) => [el("span", { class: "badge refused" }, refusalWords(code))];

/** Why calls are refused before a page is asked. @type {Record<string, string>} */
const REFUSALS = dictionaryOf({
  unknown_tool: t`refused: unknown tool`,
  invalid_arguments: t`refused: invalid arguments`,
  not_accepted: t`refused: not accepted`,
  rate_limited: t`refused: too many calls`,
  queue_full: t`refused: queue full`,
  breaker_open: t`refused: breaker open`,
  too_large: t`refused: too large`,
  dependency_failed: t`refused: what it needs failed`,
});

/** @param {string} code */
export const refusalWords = (code) => REFUSALS[code] ?? t`refused: ${stateWords(code)}`;
