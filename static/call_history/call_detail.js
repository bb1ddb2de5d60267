// @ts-check
/** A call of this browser in full: its request and its answer. */
import { t } from "../base/language.js";
import { copyButton, el, factList, fill, link, sentenceOf } from "../ui/dom.js";
import { originFacts } from "../ui/asked_by.js";
import { bodyView } from "../answers/body_view.js";
import { viewAddress } from "../ui/router.js";
import { isOpen } from "./call_filter.js";
import { errorView } from "../ui/outcome_view.js";
import { formatSize } from "../ui/format_count.js";
import { cutNote, fileView, findAndSaveButton, formatBody, saveButton, textView } from "../ui/response_view.js";
import { callAgain, storedCallFacts } from "./stored_call.js";
import { loginOffer, wantsLogin } from "../ui/login_offer.js";
import { readLines, viaWords } from "../ui/transport_labels.js";
import { toCurl } from "../base/curl.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/types.js").LoggedRequest} LoggedRequest */
/** @typedef {import("../types/types.js").LoggedResponse} LoggedResponse */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/view_types.js").OriginNames} OriginNames */

/** @param {CallEntry} entry @param {Parts} parts @param {OriginNames} names @returns {(Node | null)[]} */
export function entryDetail(entry, { api, controls, devices }, names) {
  const { request, response, error, server_id, call_id } = entry;
  const device_id = devices.ownDevice?.id; // what this browser logs, it performs
  const again = isOpen(entry.state) ? null : callAgain({ call_id, safe: SAFE.test(entry.key) }, controls.api);
  const later = el("div");
  if (again) void showLater(later, call_id, controls.api);
  const find = (/** @type {LoggedResponse} */ { content_type, headers }) =>
    api.findAnswer(call_id, content_type, headers["content-disposition"] ?? "");
  const retry = SAFE.test(entry.key) ? () => again?.button.click() : null;
  return [
    actionButtons(entry, again?.button ?? null),
    factList(originFacts({ ...entry, device_id }, names), "origin"),
    again?.place ?? null,
    later,
    error ? errorView(error, server_id) : null,
    error && request && wantsLogin(error) ? loginOffer(request.url, retry) : null,
    request ? requestPart(request) : null,
    response ? responsePart(entry, response, () => find(response)) : null,
  ];
}

/** @param {CallEntry} entry @param {HTMLElement | null} again */
function actionButtons({ request, tool }, again) {
  const open = link(t`Open the tool`, viewAddress("tools", tool), { class: "button quiet small" });
  return el(
    "div",
    { class: "actions" },
    again,
    request ? copyButton(t`Copy as curl`, () => toCurl(request)) : null,
    open,
  );
}

/** What only the bridge knows. It may not have written the call down yet, or have deleted it. @param {HTMLElement} place @param {string} callId @param {import("../session/controls_api.js").ControlsApi} api */
async function showLater(place, callId, api) {
  const kept = await api.readCall(callId).catch(() => null);
  if (kept) fill(place, storedCallFacts(kept));
}

/** Operations that only read, by their keys. */
const SAFE = /^(GET|HEAD|OPTIONS) /;

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
