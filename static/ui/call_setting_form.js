// @ts-check
/** What a user sets for the calls of one tool, one server, or all servers: their deadline, how many run at once, their order. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, labelledField, notice, sentenceOf } from "./dom.js";
import { deadlineOf, numberOf, whoseDeadline } from "./limit_text.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").CallSetting} CallSetting */
/** @typedef {{server_id?: string, operation?: string}} Scope  both: a tool; none: all servers */

export class CallSettingForm {
  /** @param {Pick<Parts, "controls">} parts @param {Scope} scope */
  constructor({ controls }, { server_id = "", operation = "" }) {
    this.controls = controls;
    this.scope = { server_id, operation };
    this.words = wordsOf(this.scope);
    this.effect = el("p", { class: "hint" });
    this.messages = el("div");
    this.deadline = el("input", { inputmode: "decimal", autocomplete: "off" });
    this.parallel = el("input", { inputmode: "numeric", autocomplete: "off" });
    this.deadlineRange = el("span");
    this.parallelRange = el("span");
    this.inOrder = el("input", { type: "checkbox" });
    this.shown = "";
    this.element = this.#element();
    this.stop = controls.onChange(() => this.#render());
    this.#render();
  }

  #element() {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    };
    const { server_id, operation } = this.scope;
    const order = t`Run write calls one at a time`;
    return el(
      "form",
      { class: "panel", "aria-label": this.words.title, onsubmit: submit, novalidate: true },
      el("h2", null, this.words.title),
      this.effect,
      labelledField(t`Deadline in seconds`, this.deadline, this.deadlineRange),
      server_id ? labelledField(t`Parallel calls`, this.parallel, this.parallelRange) : null,
      server_id && !operation ? el("label", { class: "check" }, this.inOrder, el("span", null, order)) : null,
      this.messages,
      el("div", { class: "actions" }, el("button", { type: "submit" }, t`Save`)),
    );
  }

  /** @returns {Partial<CallSetting>} */
  get #setting() {
    const { server_id, operation } = this.scope;
    return this.controls.settings.find((each) => each.server_id === server_id && each.operation === operation) ?? {};
  }

  /** Draws again only what is new: what was typed and not saved stays. */
  #render() {
    const { settings, limits } = this.controls;
    if (!limits) return;
    const { seconds, set_by } = deadlineOf(settings, limits.limits, this.scope);
    this.effect.textContent = this.words.effect(seconds, whoseDeadline(set_by));
    this.deadlineRange.textContent = deadlineHint(rangeOf(limits.limits, "TOOL_TIMEOUT_SECONDS"));
    this.parallelRange.textContent = parallelHint(rangeOf(limits.limits, "MAX_PARALLEL_TOOLS_GLOBAL"));
    const { deadline_s = null, max_parallel = null, in_order = null } = this.#setting;
    const version = JSON.stringify([deadline_s, max_parallel, in_order]);
    if (version === this.shown) return;
    this.shown = version;
    this.deadline.value = String(deadline_s ?? "");
    this.parallel.value = String(max_parallel ?? "");
    this.inOrder.checked = in_order === true;
  }

  async #save() {
    const typed = (/** @type {HTMLInputElement} */ input) => (input.value.trim() === "" ? null : numberOf(input.value));
    fill(this.messages);
    this.deadline.removeAttribute("aria-invalid");
    this.parallel.removeAttribute("aria-invalid");
    try {
      await this.controls.saveSetting({
        ...this.scope,
        deadline_s: typed(this.deadline),
        max_parallel: typed(this.parallel),
        in_order: this.inOrder.checked || null,
      });
      fill(this.messages, notice("good", t`Saved. It applies from the next call on.`));
      announceSentence(t`Saved`);
    } catch (failure) {
      this.#showError(failure);
    }
  }

  /** @param {unknown} failure */
  #showError(failure) {
    const name = /** @type {{detail?: {field?: string}}} */ (failure).detail?.field;
    const input = name === "deadline_s" ? this.deadline : name === "max_parallel" ? this.parallel : null;
    input?.setAttribute("aria-invalid", "true");
    input?.focus();
    fill(this.messages, notice("error", sentenceOf(failure)));
  }
}

/** @param {import("../types/api_types.js").Limit[]} limits @param {string} name @returns {[number, number] | null} */
function rangeOf(limits, name) {
  const limit = limits.find((each) => each.name === name);
  return limit ? [limit.minimum, limit.maximum] : null;
}

/** @param {[number, number] | null} range */
const deadlineHint = (range) =>
  range ? t`From ${range[0]} to ${range[1]}, counted from when the call starts. Empty: inherit.` : "";

/** @param {[number, number] | null} range */
const parallelHint = (range) =>
  range ? t`From ${range[0]} to ${range[1]}. Empty: up to the limits of the bridge.` : "";

/** @param {{server_id: string, operation: string}} scope @returns {{title: string, effect: (seconds: number, whose: string) => string}} */
function wordsOf({ server_id, operation }) {
  if (operation)
    return {
      title: t`Deadline of this tool`,
      effect: (seconds, whose) => t`A call of this tool may take ${seconds} s: ${whose}.`,
    };
  if (server_id)
    return {
      title: t`Deadline of this server`,
      effect: (seconds, whose) => t`A call of this server may take ${seconds} s: ${whose}.`,
    };
  return {
    title: t`Deadline of your calls`,
    effect: (seconds, whose) =>
      t`Unless a server or tool sets its own deadline, a call may take ${seconds} s: ${whose}.`,
  };
}
