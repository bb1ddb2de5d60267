// @ts-check
/** The limits of the bridge: what each means, its range, its value and who set it. The operator changes them here. */
import { announceSentence, button, codeSpans, el, fill, freshId, notice, sentenceOf } from "../ui/dom.js";
import { meaningOf, numberOf, sourceOf, unitOf } from "../ui/limit_text.js";

/** @typedef {import("../types/api_types.js").Limit} Limit */
/** @typedef {import("../session/call_controls.js").CallControls} CallControls */

export class LimitsPanel {
  /** @param {CallControls} controls */
  constructor(controls) {
    this.controls = controls;
    this.now = el("p", { class: "hint" });
    this.rows = el("div", { class: "limits" });
    this.messages = el("div");
    this.save = el("button", { type: "submit", class: "primary", hidden: true }, "Save the limits");
    /** @type {Map<string, {input: HTMLInputElement, problem: HTMLElement, limit: Limit}>} */
    this.fields = new Map();
    this.shown = "";
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    };
    const heading = el("h2", { id: freshId("limits") }, "Limits of the bridge");
    this.element = el(
      "form",
      { class: "panel", "aria-labelledby": heading.id, onsubmit: submit, novalidate: true },
      heading,
      this.now,
      this.rows,
      this.messages,
      el("div", { class: "actions" }, this.save),
    );
    this.stop = controls.onChange(() => this.#render());
    this.#render();
  }

  /** Draws again only what is new: what was typed and not saved stays. */
  #render() {
    const { limits } = this.controls;
    if (!limits) return fill(this.rows, el("p", { class: "hint" }, "Loading…"));
    const who = limits.may_change
      ? "They apply to all users, from the next call on."
      : "They apply to all users. Only the user who started the bridge can change them.";
    this.now.textContent = `${who} Calls now: ${limits.calls.running} running, ${limits.calls.waiting} queued.`;
    const version = JSON.stringify([limits.limits, limits.may_change]);
    if (version === this.shown) return;
    this.shown = version;
    this.save.hidden = !limits.may_change;
    this.fields.clear();
    fill(this.rows, ...limits.limits.map((limit) => (limits.may_change ? this.#limitField(limit) : readOnly(limit))));
  }

  /** @param {Limit} limit */
  #limitField(limit) {
    const about = el("p", { class: "hint", id: freshId("limit") }, codeSpans(`${meaningOf(limit)} ${factsOf(limit)}`));
    const problem = el("p", { class: "problem", id: freshId("problem") });
    const input = el("input", {
      id: freshId("limit"),
      inputmode: "decimal",
      autocomplete: "off",
      value: String(limit.value),
      "aria-describedby": `${about.id} ${problem.id}`,
    });
    this.fields.set(limit.name, { input, problem, limit });
    const isSet = limit.source === "kept" || limit.source === "changed";
    const label = limit.source === "kept" ? `Reset to ${limit.default}` : "Reset to the value set at start";
    const back = () => void this.#change({ [limit.name]: null });
    const undo = isSet ? button(label, back, { class: "quiet small", "aria-label": `${limit.name}: ${label}` }) : null;
    return el(
      "div",
      { class: "limit" },
      el("label", { for: input.id, class: "argument" }, limit.name),
      el("div", { class: "limit-value" }, input, el("span", { class: "hint" }, unitOf(limit)), undo),
      about,
      problem,
    );
  }

  /** Only what was changed is sent, so that the others keep their sources. */
  async #save() {
    const changed = [...this.fields].filter(([, { input, limit }]) => input.value.trim() !== String(limit.value));
    if (changed.length === 0) return fill(this.messages, notice("note", "Nothing was changed."));
    await this.#change(Object.fromEntries(changed.map(([name, { input }]) => [name, numberOf(input.value)])));
  }

  /** @param {Record<string, unknown>} changes */
  async #change(changes) {
    fill(this.messages);
    for (const { input, problem } of this.fields.values()) {
      input.removeAttribute("aria-invalid");
      problem.textContent = "";
    }
    try {
      const { warnings } = await this.controls.changeLimits(changes);
      fill(this.messages, notice("good", ["Saved. It applies from the next call on.", ...warnings].join(" ")));
      announceSentence("Limits saved");
    } catch (failure) {
      this.#showError(failure);
    }
  }

  /** @param {unknown} failure */
  #showError(failure) {
    const name = /** @type {{detail?: {field?: string}}} */ (failure).detail?.field ?? "";
    const field = this.fields.get(name);
    if (!field) return fill(this.messages, notice("error", sentenceOf(failure)));
    field.problem.textContent = sentenceOf(failure);
    field.input.setAttribute("aria-invalid", "true");
    field.input.focus();
  }
}

/** @param {Limit} limit */
function factsOf(limit) {
  const source = sourceOf(limit);
  return `From ${limit.minimum} to ${limit.maximum}, default ${limit.default}.${source ? ` ${source}.` : ""}`;
}

/** @param {Limit} limit */
function readOnly(limit) {
  return el(
    "div",
    { class: "limit" },
    el("p", { class: "argument" }, limit.name),
    el("p", null, `${limit.value} ${unitOf(limit)}`.trim()),
    el("p", { class: "hint" }, `${meaningOf(limit)} ${factsOf(limit)}`),
  );
}
