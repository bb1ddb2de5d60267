// @ts-check
/** One call in full, beside the list or in its place: what this browser knows of it, what the bridge stores, or why it was refused. */
import { t } from "../base/language.js";
import { formatMoment } from "../base/time_format.js";
import { originFacts } from "../ui/asked_by.js";
import { button, copyButton, el, factList, fill, link } from "../ui/dom.js";
import { errorView } from "../ui/outcome_view.js";
import { formatBody, textView } from "../ui/response_view.js";
import { viewAddress } from "../ui/router.js";
import { entryDetail } from "./call_detail.js";
import { badgesOf, toolOf } from "./call_line.js";
import { callAgain, storedCallFacts } from "./stored_call.js";

/** @typedef {import("./call_list.js").ListedCall} ListedCall */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {import("../types/api_types.js").RefusedCall} RefusedCall */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/view_types.js").OriginNames} OriginNames */

export class CallPanel {
  /** @param {Parts} parts @param {OriginNames} names @param {() => void} close leads back to the list */
  constructor(parts, names, close) {
    this.parts = parts;
    this.names = names;
    /** @type {ListedCall | null} */
    this.call = null;
    this.title = el("h2", { tabindex: "-1" });
    this.badges = el("p", { class: "badges" });
    this.body = el("div", { class: "stack" });
    const back = button(t`All calls`, close, { class: "quiet small back-button" });
    const shut = button(t`Close`, close, { class: "quiet small close-button", "aria-label": t`Close the call` });
    this.element = el(
      "section",
      { class: "call-panel stack", "aria-label": t`Call` },
      el("div", { class: "open-call-head" }, back, this.title, shut),
      this.badges,
      this.body,
    );
    this.element.addEventListener("keydown", ({ key, defaultPrevented }) => {
      if (key === "Escape" && !defaultPrevented) close();
    });
  }

  /** Leaves a call that has not changed as it is, with the parts that its reader has opened. @param {ListedCall} call */
  show(call) {
    const known = this.call;
    this.call = call;
    if (known?.id === call.id && (call.live ? known.live === call.live : known.stored === call.stored)) return;
    this.title.textContent = toolOf(call);
    const at = new Date(call.at).toISOString();
    fill(this.badges, ...badgesOf(call), el("time", { class: "facts", datetime: at }, formatMoment(call.at)));
    fill(this.body, ...this.#detailOf(call));
  }

  /** @param {ListedCall} call */
  #detailOf({ live, stored, refused }) {
    if (live) return entryDetail(live, this.parts, this.names);
    if (stored) return storedDetail(stored, this.parts.controls.api, this.names);
    return refused ? refusedDetail(refused, this.names) : [];
  }

  focusTitle() {
    this.title.focus({ preventScroll: true });
  }
}

/** @param {StoredCall} call @param {import("../session/controls_api.js").ControlsApi} api @param {OriginNames} names */
function storedDetail(call, api, names) {
  const { call_id, tool, server, safe, error, arguments: text, operation } = call;
  const again = call.ended_at === null ? null : callAgain({ call_id, safe }, api);
  const args = text === null ? null : copyButton(t`Copy the arguments`, () => text);
  return [
    el("div", { class: "actions" }, again?.button ?? null, args, toolLink(tool)),
    factList([[t`Operation`, operation], ...originFacts(call, names)], "origin"),
    again?.place ?? null,
    storedCallFacts(call),
    error ? errorView(error, server) : null,
    text === null
      ? el("p", { class: "hint" }, t`The arguments were too long to store.`)
      : el("section", { "aria-label": t`Arguments` }, el("h3", null, t`Arguments`), textView(formatBody(text, "json"))),
    el(
      "p",
      { class: "hint" },
      t`Request and answer are stored only in the browser that made the call, until its page is closed.`,
    ),
  ];
}

/** @param {RefusedCall} call @param {OriginNames} names */
function refusedDetail({ tool, code, server, asked_by, chat_id }, names) {
  const isThere = code !== "unknown_tool";
  const review = code === "not_accepted" && server !== null;
  return [
    el(
      "div",
      { class: "actions" },
      review ? link(t`Review`, viewAddress("servers", server, "review"), { class: "button quiet small" }) : null,
      isThere ? toolLink(tool) : null,
    ),
    factList([[t`Error code`, el("code", null, code)], ...originFacts({ asked_by, chat_id }, names)], "origin"),
    el("p", null, t`The bridge refused this call before a browser was asked. Nothing was sent.`),
    el("p", { class: "hint" }, t`Its arguments are not stored. The caller was answered with the reason.`),
  ];
}

/** @param {string} tool */
const toolLink = (tool) => link(t`Open the tool`, viewAddress("tools", tool), { class: "button quiet small" });
