// @ts-check
/** One call in the log: a line, and the request and answer beneath it when opened. */
import { button, copyButton, el, fill, freshId, link } from "./dom.js";
import { address } from "./navigation.js";
import { kindOfEntry } from "./call_filter.js";
import { duration, errorView, readable, size, textView } from "./outcome_view.js";
import { toCurl } from "./curl.js";

/** @typedef {import("./types.js").CallEntry} CallEntry */
/** @typedef {import("./types.js").LoggedRequest} LoggedRequest */
/** @typedef {import("./types.js").LoggedResponse} LoggedResponse */

export class CallRow {
  /** @param {CallEntry} entry @param {(callId: string) => void} cancel */
  constructor(entry, cancel) {
    this.entry = entry;
    this.cancelCall = cancel;
    this.isOpen = false;
    this.line = el("tr");
    this.detail = el("tr", { class: "call-detail", id: freshId("call"), hidden: true });
    this.opener = button(entry.tool, () => this.#toggle(), {
      class: "opener",
      "aria-expanded": "false",
      "aria-controls": this.detail.id,
    });
    this.element = el("tbody", { dataset: { call: entry.call_id } }, this.line, this.detail);
    this.update(entry);
  }

  /** @param {CallEntry} entry the same call, later */
  update(entry) {
    this.entry = entry;
    this.element.dataset.state = kindOfEntry(entry);
    const isRunning = entry.state === "running";
    const cancel = isRunning
      ? button("Cancel", () => this.cancelCall(entry.call_id), {
          class: "quiet small",
          "aria-label": `Cancel ${entry.tool}`,
        })
      : null;
    const time = new Date(entry.started_at);
    fill(
      this.line,
      el(
        "td",
        { class: "facts" },
        el("time", { datetime: time.toISOString(), title: time.toLocaleString() }, time.toLocaleTimeString()),
      ),
      el("th", { scope: "row" }, this.opener),
      el("td", { class: "mono url-cell", title: entry.request?.url ?? "" }, requestLine(entry)),
      el("td", null, status(entry)),
      el("td", { class: "number" }, entry.duration_ms === null ? "" : duration(entry.duration_ms)),
      el("td", null, cancel),
    );
    if (this.isOpen) this.#showDetail();
  }

  #toggle() {
    this.isOpen = !this.isOpen;
    this.opener.setAttribute("aria-expanded", String(this.isOpen));
    this.detail.hidden = !this.isOpen;
    if (this.isOpen) this.#showDetail();
  }

  #showDetail() {
    const { request, response, error, server_id, tool } = this.entry;
    const curl = request
      ? copyButton("Copy as curl", () => toCurl(request), { "aria-label": `Copy ${tool} as curl` })
      : null;
    fill(
      this.detail,
      el(
        "td",
        { colspan: 6 },
        el(
          "div",
          { class: "actions" },
          curl,
          link("Open the tool", address("tools", tool), { class: "button quiet small" }),
        ),
        error ? errorView(error, server_id) : null,
        el(
          "div",
          { class: "exchange" },
          request ? requestPart(request) : null,
          response ? responsePart(response) : null,
        ),
      ),
    );
  }
}

/** @param {CallEntry} entry */
function requestLine({ request, key }) {
  if (!request) return key;
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  return `${request.method} ${url ? `${url.host}${url.pathname}${url.search}` : request.url}`;
}

/** @param {CallEntry} entry */
function status(entry) {
  const kind = kindOfEntry(entry);
  const words =
    entry.error?.code ??
    (entry.response ? `${entry.response.http_status} ${entry.response.status_text}`.trim() : "running");
  return el("span", { class: `badge ${kind}` }, words);
}

/** @param {[string, string][]} headers @param {string} label */
function headerList(headers, label) {
  if (headers.length === 0) return null;
  const text = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return el("pre", { class: "headers", tabindex: "0", role: "region", "aria-label": label }, text);
}

/** @param {LoggedRequest} request */
function requestPart({ method, url, headers, body, body_bytes }) {
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  const shown =
    body === null
      ? body_bytes > 0
        ? el("p", { class: "hint" }, `Body of ${size(body_bytes)}`)
        : null
      : textView(readable(body, type));
  return el(
    "section",
    { "aria-label": "Request" },
    el("h3", null, "Request"),
    el("p", { class: "mono wrap" }, `${method} ${url}`),
    headerList(headers, "Request headers"),
    shown,
  );
}

/** @param {LoggedResponse} response */
function responsePart({ http_status, status_text, headers, preview, bytes, truncated, kind, content_type }) {
  const facts = [size(bytes), content_type, truncated ? "cut" : ""].filter(Boolean).join(" · ");
  const body =
    kind === "text"
      ? textView(readable(preview, content_type))
      : el("p", { class: "hint" }, kind === "empty" ? "No body." : "A file; the caller gets a link to it.");
  return el(
    "section",
    { "aria-label": "Response" },
    el("h3", null, "Response"),
    el("p", { class: "mono" }, `${http_status} ${status_text} `, el("span", { class: "facts" }, facts)),
    headerList(Object.entries(headers), "Response headers"),
    body,
  );
}
