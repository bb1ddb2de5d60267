// @ts-check
/** A call within an answer: what runs, how it stands, and what its user can do about it. */
import { dictionaryOf } from "../base/dictionary.js";
import { errorSentence, t } from "../base/language.js";
import { ApprovalCard } from "../approvals/approval_card.js";
import { CallFileView, fileOf } from "./call_file.js";
import { formatBody, textView } from "../ui/response_view.js";
import { isOver } from "./state.js";
import { colorCode } from "../markdown/code_colors.js";
import { button, el, fill, freshId, link } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { viewAddress } from "../ui/router.js";
import { formatDuration, errorView } from "../ui/outcome_view.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/chat_types.js").ShownCall} ShownCall */
/** @typedef {import("../types/types.js").WaitingCard} WaitingCard */
/**
 * @typedef {object} CallActions
 * @property {(callIds: string[], decision: import("../approvals/approval_policy.js").Decision) => void} decide
 * @property {(callId: string) => void} cancel
 * @property {(toolCallId: string) => void} retry
 * @property {(serverId: string) => string} titleOf  of the API that has a waiting call
 * @property {(tool: string) => string} serverOf  id of the server that has the tool; "" when it is not known
 * @property {import("./call_file.js").FindFile} findFile
 */

/** Words and looks of states. @type {Record<string, [string, string]>} */
const WORDS = dictionaryOf({
  queued: [t`queued`, "running"],
  sent: [t`sent`, "running"],
  awaiting_approval: [t`needs approval`, "warning"],
  running: [t`running`, "running"],
  succeeded: [t`done`, "good"],
  failed: [t`failed`, "bad"],
  denied: [t`denied`, "warning"],
  cancelled: [t`stopped`, "warning"],
  expired: [t`too late`, "bad"],
  outcome_unknown: [t`outcome unknown`, "bad"],
  unanswered: [t`interrupted`, "warning"],
});
const AGAIN = new Set(["failed", "denied", "cancelled", "expired", "outcome_unknown"]);
const BRIEF_CHARS = 120;

export class ChatCallCard {
  /** @type {"call"} */
  kind = "call";
  #isOpen = false;
  /** Whether the conversation takes a retry now. */
  #mayRetry = false;
  /** @type {ApprovalCard | null} */
  #approval = null;

  /** @param {CallActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {ShownCall | null} */
    this.call = null;
    this.badge = el("span", { class: "badge" });
    this.time = el("span", { class: "facts" });
    this.brief = el("span", { class: "call-brief mono" });
    this.buttons = el("span", { class: "actions" });
    this.message = el("p", { class: "call-message" });
    this.approvalPlace = el("div");
    this.file = new CallFileView(actions.findFile);
    this.detail = el("div", { class: "call-body", id: freshId("call"), hidden: true });
    this.opener = button("", () => this.#toggle(), {
      class: "opener",
      "aria-expanded": "false",
      "aria-controls": this.detail.id,
    });
    const head = el("div", { class: "call-head" }, this.opener, this.badge, this.time, this.brief, this.buttons);
    this.element = el(
      "article",
      { class: "chat-call" },
      head,
      this.message,
      this.approvalPlace,
      this.file.element,
      this.detail,
    );
  }

  /** @param {ShownCall} call @param {boolean} mayRetry */
  showPart(call, mayRetry) {
    if (this.call !== null && isSame(this.call, call) && mayRetry === this.#mayRetry) return;
    this.call = call;
    this.#mayRetry = mayRetry;
    const name = truncateLine(call.name);
    const [words, look] = WORDS[call.state] ?? [call.state.replaceAll("_", " "), ""];
    Object.assign(this.element.dataset, { state: call.state, tool: call.name });
    this.element.setAttribute("aria-label", t`Call of ${name}`);
    this.opener.textContent = name;
    fill(this.badge, words);
    this.badge.className = `badge ${look}`;
    this.brief.textContent = briefOf(call.arguments);
    fill(this.message, call.error?.message ? errorSentence(call.error) : "");
    this.message.hidden = !call.error?.message || this.#isOpen;
    this.file.showFile(call.name, call.call_id, fileOf(call.result));
    this.#showButtons(call, name);
    this.updateCountdown(Date.now());
    if (isOver(call.state)) this.showApproval(null);
    if (this.#isOpen) this.#showDetail(call);
  }

  /** @param {number} now milliseconds since 1970 */
  updateCountdown(now) {
    const { duration_ms = null, started_at = null, state = "" } = this.call ?? {};
    const elapsed =
      state === "running" && started_at !== null ? t`${Math.max(0, Math.floor((now - started_at) / 1000))} s` : "";
    const words = duration_ms === null ? elapsed : formatDuration(duration_ms);
    if (this.time.textContent !== words) this.time.textContent = words;
    this.#approval?.updateCountdown(now);
  }

  /** The question of a call that waits; null: it waits no more, or elsewhere. @param {WaitingCard | null} card */
  showApproval(card) {
    if (card?.call_id === this.#approval?.card.call_id) return;
    const hadFocus = this.approvalPlace.contains(document.activeElement);
    this.#approval =
      card &&
      new ApprovalCard(card, this.actions.titleOf(card.server_id), (decision) =>
        this.actions.decide([card.call_id], decision),
      );
    fill(this.approvalPlace, this.#approval?.element);
    if (hadFocus) this.opener.focus({ preventScroll: true });
  }

  #toggle() {
    this.#isOpen = !this.#isOpen;
    this.opener.setAttribute("aria-expanded", String(this.#isOpen));
    this.detail.hidden = !this.#isOpen;
    this.message.hidden = this.#isOpen || this.message.textContent === "";
    if (this.#isOpen && this.call) this.#showDetail(this.call);
  }

  /** @param {ShownCall} call @param {string} name */
  #showButtons({ state, call_id }, name) {
    const [stays] = this.buttons.children;
    const kind = !isOver(state) && call_id !== null ? "stop" : AGAIN.has(state) && this.#mayRetry ? "retry" : "";
    if (stays instanceof HTMLElement && stays.dataset.kind === kind && stays.dataset.call === call_id) return;
    const hadFocus = this.buttons.contains(document.activeElement);
    const stop = () => call_id !== null && this.actions.cancel(call_id);
    const look = { class: "quiet small", dataset: { kind, call: call_id ?? "" } };
    if (kind === "stop") fill(this.buttons, button(t`Stop`, stop, { ...look, "aria-label": t`Stop: ${name}` }));
    else if (kind === "retry")
      fill(
        this.buttons,
        button(t`Try again`, () => this.#retry(), { ...look, "aria-label": t`Try again: ${name}` }),
      );
    else fill(this.buttons);
    if (hadFocus) this.opener.focus({ preventScroll: true });
  }

  #retry() {
    const { state = "", tool_call_id = "" } = this.call ?? {};
    if (state !== "outcome_unknown") return this.actions.retry(tool_call_id);
    const sure = guardControl(
      button(t`Try it again`, () => this.actions.retry(tool_call_id), { class: "danger small" }),
    );
    const close = () => {
      fill(this.approvalPlace);
      this.opener.focus();
    };
    const leave = button(t`Leave it`, close, { class: "quiet small" });
    fill(
      this.approvalPlace,
      el(
        "p",
        { class: "actions" },
        el("span", null, t`It may have taken effect, and could take effect a second time.`),
        sure,
        leave,
      ),
    );
    sure.focus();
  }

  /** @param {ShownCall} call */
  #showDetail({ arguments: text, result, error, name, call_id }) {
    const server = this.actions.serverOf(name);
    const answered = result !== null && !fileOf(result)?.isAll && (error === null || error.code === "");
    fill(
      this.detail,
      el(
        "section",
        { "aria-label": t`Arguments` },
        el("h3", null, t`Arguments`),
        colored(textView(formatBody(text || "{}", "json"))),
      ),
      error && error.code !== "" ? errorView(error, server) : null,
      answered
        ? el(
            "section",
            { "aria-label": t`Result` },
            el("h3", null, t`Result`),
            colored(textView(formatBody(result, ""))),
          )
        : null,
      el(
        "p",
        { class: "actions" },
        call_id === null ? null : link(t`Show in the call log`, viewAddress("calls", call_id), { class: "quiet-link" }),
        link(t`Open the tool`, viewAddress("tools", name), { class: "quiet-link" }),
      ),
    );
  }
}

/** JSON in its colours. @param {HTMLElement} view of a text */
function colored(view) {
  const block = view.querySelector("pre");
  if (block && /^\s*[[{]/.test(block.textContent ?? "")) colorCode(block, "json");
  return view;
}

/** @param {ShownCall} one @param {ShownCall} other */
function isSame(one, other) {
  return Object.entries(one).every(([name, value]) => other[/** @type {keyof ShownCall} */ (name)] === value);
}

/** Arguments in one short line. @param {string} text */
function briefOf(text) {
  const inner = /^\s*\{([^]*)\}\s*$/.exec(text)?.[1] ?? text;
  return truncateLine(inner.replace(/\s+/g, " ").trim(), BRIEF_CHARS);
}
