// @ts-check
/** One call in the log: a line, and the request and answer beneath it when opened. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { formatMoment, formatTime } from "../base/time_format.js";
import { button, copyButton, el, factList, fill, freshId, link, sentenceOf } from "../ui/dom.js";
import { callerOf, originFacts } from "../ui/asked_by.js";
import { bodyView } from "../answers/body_view.js";
import { viewAddress } from "../ui/router.js";
import { isOpen, kindOfEntry } from "./call_filter.js";
import { formatDuration, errorView } from "../ui/outcome_view.js";
import { formatSize } from "../ui/format_count.js";
import { cutNote, fileView, findAndSaveButton, formatBody, saveButton, textView } from "../ui/response_view.js";
import { callAgain, companionBadge, storedCallFacts } from "./stored_call.js";
import { loginOffer, wantsLogin } from "../ui/login_offer.js";
import { readLines, viaWords } from "../ui/transport_labels.js";
import { toCurl } from "../base/curl.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/types.js").LoggedRequest} LoggedRequest */
/** @typedef {import("../types/types.js").LoggedResponse} LoggedResponse */

export class CallRow {
  /** @param {CallEntry} entry @param {import("../types/view_types.js").Parts} parts @param {import("../types/view_types.js").OriginNames} names */
  constructor(entry, { executor, api, controls, devices }, names) {
    this.entry = entry;
    this.devices = devices;
    this.names = names;
    this.executor = executor;
    this.api = api;
    this.controls = controls.api;
    this.isOpen = false;
    this.line = el("tr");
    this.detail = el("tr", { class: "call-detail", id: freshId("call"), hidden: true });
    this.opener = button(entry.tool, () => this.#toggle(), {
      class: "opener",
      "aria-expanded": "false",
      "aria-controls": this.detail.id,
    });
    this.element = el("tbody", { dataset: { call: entry.call_id } }, this.line, this.detail);
    this.updateEntry(entry);
  }

  /** @param {CallEntry} entry the same call, later */
  updateEntry(entry) {
    this.entry = entry;
    this.element.dataset.state = kindOfEntry(entry);
    const cancel = isOpen(entry.state)
      ? button(t`Cancel`, () => this.executor.cancelCall(entry.call_id), {
          class: "quiet small",
          "aria-label": t`Cancel ${entry.tool}`,
        })
      : null;
    const time = new Date(entry.started_at);
    fill(
      this.line,
      el(
        "td",
        { class: "facts" },
        el(
          "time",
          { datetime: time.toISOString(), title: formatMoment(entry.started_at) },
          formatTime(entry.started_at),
        ),
      ),
      el("th", { scope: "row" }, this.opener, callerOf(entry.asked_by)),
      el("td", { class: "mono url-cell", title: entry.request?.url ?? "" }, requestLine(entry)),
      el("td", null, statusBadges(entry)),
      el("td", { class: "number" }, entry.duration_ms === null ? "" : formatDuration(entry.duration_ms)),
      el("td", null, cancel),
    );
    if (this.isOpen) this.#showDetail();
  }

  /** Shows request and answer. */
  openDetail() {
    if (!this.isOpen) this.#toggle();
    return this.element;
  }

  #toggle() {
    this.isOpen = !this.isOpen;
    this.opener.setAttribute("aria-expanded", String(this.isOpen));
    this.detail.hidden = !this.isOpen;
    if (this.isOpen) this.#showDetail();
  }

  /** @param {LoggedResponse} response */
  #findAnswer({ content_type, headers }) {
    return this.api.findAnswer(this.entry.call_id, content_type, headers["content-disposition"] ?? "");
  }

  #showDetail() {
    const { request, response, error, server_id } = this.entry;
    const device_id = this.devices.ownDevice?.id; // what this browser logs, it performs
    const later = el("div");
    const again = this.#repeatButtons();
    fill(
      this.detail,
      el(
        "td",
        { colspan: 6 },
        this.#actionButtons(again?.button ?? null),
        factList(originFacts({ ...this.entry, device_id }, this.names), "origin"),
        again?.place ?? null,
        later,
        error ? errorView(error, server_id) : null,
        error && request && wantsLogin(error)
          ? loginOffer(request.url, SAFE.test(this.entry.key) ? () => again?.button.click() : null)
          : null,
        el(
          "div",
          { class: "request-response" },
          request ? requestPart(request) : null,
          response ? responsePart(this.entry, response, () => this.#findAnswer(response)) : null,
        ),
      ),
    );
    if (again) void this.#showLater(later);
  }

  /** @param {HTMLElement | null} again */
  #actionButtons(again) {
    const { request, tool } = this.entry;
    return el(
      "div",
      { class: "actions" },
      again,
      request ? curlButton(tool, request) : null,
      link(t`Open the tool`, viewAddress("tools", tool), { class: "button quiet small" }),
    );
  }

  /** Null while the call is open. */
  #repeatButtons() {
    const { state, call_id, tool, key } = this.entry;
    if (isOpen(state)) return null;
    return callAgain({ call_id, tool, safe: SAFE.test(key) }, this.controls);
  }

  /** What only the bridge knows. It may not have written the call down yet, or not any more. @param {HTMLElement} place */
  async #showLater(place) {
    const kept = await this.controls.readCall(this.entry.call_id).catch(() => null);
    if (kept) fill(place, storedCallFacts(kept));
  }
}

/** @param {string} tool @param {LoggedRequest} request */
const curlButton = (tool, request) =>
  copyButton(t`Copy as curl`, () => toCurl(request), { "aria-label": t`Copy ${tool} as curl` });

/** Operations that only read, by their keys. */
const SAFE = /^(GET|HEAD|OPTIONS) /;

/** @param {CallEntry} entry */
function requestLine({ request, key }) {
  if (!request) return key;
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  return `${request.method} ${url ? `${url.host}${url.pathname}${url.search}` : request.url}`;
}

/** @type {Record<string, string>} */
const OPEN = dictionaryOf({ waiting: t`waiting for approval`, queued: t`queued`, running: t`running` });

/** @param {CallEntry} entry */
function statusBadges(entry) {
  const kind = kindOfEntry(entry);
  const words =
    entry.error?.code ??
    (entry.response ? `${entry.response.http_status} ${entry.response.status_text}`.trim() : OPEN[entry.state]);
  const way = entry.request && viaWords(entry.request.via, entry.request.url);
  const mark = way ? companionBadge(entry.request?.via.login ?? false, way) : null;
  return [el("span", { class: `badge ${kind}` }, words), mark];
}

/** @param {[string, string][]} headers @param {string} label */
function headerList(headers, label) {
  if (headers.length === 0) return null;
  const text = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return el("pre", { class: "headers", tabindex: "0", role: "region", "aria-label": label }, text);
}

/** @param {LoggedRequest} request */
function requestPart({ reads, method, url, headers, body, body_bytes, via }) {
  const way = viaWords(via, url);
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  const shown =
    body === null
      ? body_bytes > 0
        ? el("p", { class: "hint" }, t`Body of ${formatSize(body_bytes)}`)
        : null
      : textView(formatBody(body, type));
  return el(
    "section",
    { "aria-label": t`Request` },
    el("h3", null, t`Request`),
    ...readLines(reads),
    el("p", { class: "mono wrap" }, `${method} ${url}`),
    way ? el("p", { class: "hint", dataset: { testid: "via" } }, t`Sent by ${way}.`) : null,
    headerList(headers, t`Request headers`),
    shown,
  );
}

/** @typedef {() => Promise<import("../types/api_types.js").AnswerFile>} Find */

/** @param {CallEntry} entry @param {LoggedResponse} response @param {Find} find returns the complete answer, which the bridge stores */
function responsePart(entry, response, find) {
  const { http_status, status_text, headers, bytes, content_type } = response;
  return el(
    "section",
    { "aria-label": t`Response` },
    el("h3", null, t`Response`),
    el(
      "p",
      { class: "mono" },
      `${http_status} ${status_text} `,
      el("span", { class: "facts" }, [formatSize(bytes), content_type].filter(Boolean).join(" · ")),
    ),
    headerList(Object.entries(headers), t`Response headers`),
    response.kind === "text" ? textPart(response, find) : filePart(entry, response, find),
  );
}

/** @param {LoggedResponse} response @param {Find} find */
function textPart({ preview, bytes, total_bytes, cut_by, content_type, is_stored, kind }, find) {
  const isWhole = new TextEncoder().encode(preview).byteLength >= bytes;
  const rest = isWhole
    ? null
    : el("p", { class: "hint" }, t`Only the beginning of ${formatSize(bytes)} is shown here.`);
  const save = is_stored
    ? findAndSaveButton(find)
    : isWhole && kind === "text"
      ? saveButton(preview, content_type)
      : null;
  return el(
    "div",
    null,
    cutNote({ shown: null, total: total_bytes, cut_by }),
    bodyView(preview, content_type, "text"),
    rest,
    save ? el("p", { class: "actions" }, save) : null,
  );
}

/** @param {CallEntry} entry @param {LoggedResponse} response @param {Find} find */
function filePart({ state }, { kind, is_stored }, find) {
  if (kind === "empty") return el("p", { class: "hint" }, t`No body.`);
  const place = el("div", null, el("p", { class: "hint" }, t`A file. The caller gets it, or a link to it.`));
  if (state !== "running" && is_stored) {
    const show = (/** @type {import("../types/api_types.js").AnswerFile} */ file) => fill(place, fileView(file));
    find().then(show, (/** @type {unknown} */ failure) => fill(place, el("p", { class: "hint" }, sentenceOf(failure))));
  }
  return place;
}
