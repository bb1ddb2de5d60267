// @ts-check
/** What a user sets for the calls of one tool, one server, or all servers: their deadline, how many run at once, their order. */
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
    const order = "Run write calls one at a time";
    return el(
      "form",
      { class: "panel", "aria-label": this.words.title, onsubmit: submit, novalidate: true },
      el("h2", null, this.words.title),
      this.effect,
      labelledField("Deadline in seconds", this.deadline, this.deadlineRange),
      server_id ? labelledField("Parallel calls", this.parallel, this.parallelRange) : null,
      server_id && !operation ? el("label", { class: "check" }, this.inOrder, el("span", null, order)) : null,
      this.messages,
      el("div", { class: "actions" }, el("button", { type: "submit" }, "Save")),
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
    this.effect.textContent = `${this.words.lead} ${seconds} s: ${whoseDeadline(set_by)}.`;
    this.deadlineRange.textContent = `${rangeOf(limits.limits, "TOOL_TIMEOUT_SECONDS")}, counted from when the call starts. Empty: inherit.`;
    this.parallelRange.textContent = `${rangeOf(limits.limits, "MAX_PARALLEL_TOOLS_GLOBAL")}. Empty: up to the limits of the bridge.`;
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
      fill(this.messages, notice("good", "Saved. It applies from the next call on."));
      announceSentence("Saved");
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

/** @param {import("../types/api_types.js").Limit[]} limits @param {string} name */
function rangeOf(limits, name) {
  const limit = limits.find((each) => each.name === name);
  return limit ? `From ${limit.minimum} to ${limit.maximum}` : "";
}

/** @param {{server_id: string, operation: string}} scope */
function wordsOf({ server_id, operation }) {
  if (operation) return { title: "Deadline of this tool", lead: "A call of this tool may take" };
  if (server_id) return { title: "Deadline of this server", lead: "A call of this server may take" };
  return { title: "Deadline of your calls", lead: "Unless a server or tool sets its own deadline, a call may take" };
}
