// @ts-check
/** Earlier calls of a tool and what is saved by name: to run again, or to edit in the form first. */
import { t } from "../base/language.js";
import { announceSentence, attemptAction, button, el, fill, labelledField } from "../ui/dom.js";
import { formatTime } from "../base/time_format.js";
import { linkTo, shareableArguments } from "./shared_link.js";
import { stateWords } from "../ui/outcome_view.js";
import { requestRow } from "./request_row.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {import("./request_row.js").Form} Form */

const SHOWN_CALLS = 20;

export class TriesPanel {
  /** @param {import("../types/view_types.js").Parts} parts @param {import("../types/api_types.js").FullTool} tool @param {Form} form */
  constructor(parts, tool, form) {
    this.parts = parts;
    this.api = parts.controls.api;
    this.tool = tool;
    this.form = form;
    /** @type {import("./saved_panel.js").SavedPanel | null} */
    this.panel = null;
    this.saved = el("div", { class: "stack" });
    this.callList = el("ul", { class: "tries", "aria-label": t`Earlier calls` });
    this.messages = el("div", { "aria-live": "polite" });
    const open = (/** @type {Event} */ event) =>
      /** @type {HTMLDetailsElement} */ (event.target).open && void this.showTries();
    this.element = el(
      "details",
      { class: "tries-panel", ontoggle: open },
      el("summary", null, t`Saved requests and earlier calls`),
      el(
        "div",
        { class: "stack" },
        el("h2", null, t`Saved`),
        this.saved,
        el("h2", null, t`Earlier calls`),
        this.callList,
        this.messages,
      ),
    );
  }

  /** Reads both lists again. Saved requests have a module of their own, which most visitors never need. */
  showTries() {
    return attemptAction(this.messages, async () => {
      const { SavedPanel } = await import("./saved_panel.js");
      const panel = (this.panel ??= new SavedPanel(this.parts, this.tool, this.form));
      fill(this.saved, panel.element);
      const [, { calls }] = await Promise.all([
        panel.showRequests(),
        this.api.listCallsOf(this.tool.server_id, this.tool.key),
      ]);
      fill(this.callList, ...calls.slice(0, SHOWN_CALLS).map((call) => this.#callRow(call)));
      if (calls.length === 0)
        fill(this.callList, el("li", { class: "hint" }, t`It was not called in the last 30 days.`));
    });
  }

  /** @param {StoredCall} call */
  #callRow({ opened_at, ended_at, state, http_status, error, arguments: text }) {
    const status = http_status ?? (error?.code === "http_status" ? error.detail.status : null);
    const words = status ? `HTTP ${status}` : stateWords(ended_at === null ? state : (error?.code ?? state));
    const at = formatTime(1000 * opened_at);
    const badge = el(
      "span",
      { class: `badge ${state === "succeeded" ? "good" : ended_at === null ? "running" : "bad"}` },
      words,
    );
    const title = el("span", null, el("span", { class: "facts" }, at), " ", badge);
    return requestRow(this.tool, this.form, { title, text, name: t`the call of ${at}` });
  }
}

/** Copies an address that opens the tool with what is in the form, and says what is not in it. @param {string} tool @param {() => JsonObject} read @param {Element} place for what is said */
export function shareButton(tool, read, place) {
  const share = async () => {
    const { args, left } = shareableArguments(read());
    const link = linkTo(location.href.split("#", 1)[0], tool, args);
    if (link === null)
      return fill(
        place,
        el("p", { class: "hint" }, t`These arguments are too long for a link. Save them by name instead.`),
      );
    const box = el("input", { type: "text", readonly: true, value: link, class: "mono" });
    const sentences = [
      t`It opens for people who use this bridge and have the tool.`,
      left.length > 0 && t`Left out: ${[...new Set(left)].join(", ")}.`,
    ];
    fill(place, labelledField(t`Link to this form`, box, sentences.filter(Boolean).join(" ")));
    box.select();
    await navigator.clipboard?.writeText(link).then(
      () => announceSentence(t`The link is copied`),
      () => undefined,
    );
  };
  return button(t`Share`, () => void share(), { class: "quiet", "aria-label": t`Share a link to this form` });
}
