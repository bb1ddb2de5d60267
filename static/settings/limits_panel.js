// @ts-check
/** The limits of the bridge in words: what each means, its range, and who changed it. The operator changes them here. */
import { t } from "../base/language.js";
import { announceSentence, button, codeSpans, el, fill, freshId, notice, sentenceOf } from "../ui/dom.js";
import { numberOf } from "../ui/limit_text.js";
import { amountOf, changeOf, groupLimits, rangeOfLimit, wordsOfLimit } from "./limit_labels.js";

/** @typedef {import("../types/api_types.js").Limit} Limit */
/** @typedef {import("../session/call_controls.js").CallControls} CallControls */

export class LimitsPanel {
  /** @param {CallControls} controls */
  constructor(controls) {
    this.controls = controls;
    this.now = el("p", { class: "hint" });
    this.rows = el("div", { class: "stack" });
    this.messages = el("div");
    this.save = el("button", { type: "submit", class: "primary", hidden: true }, t`Save the limits`);
    /** @type {Map<string, {input: HTMLInputElement, problem: HTMLElement, limit: Limit}>} */
    this.fields = new Map();
    this.shown = "";
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    };
    const form = el(
      "form",
      { class: "stack", "aria-label": t`Limits of the bridge`, onsubmit: submit, novalidate: true },
      this.now,
      this.rows,
      this.messages,
      el("div", { class: "actions" }, this.save),
    );
    this.element = el("details", { class: "panel folded" }, el("summary", null, el("h2", null, t`This bridge`)), form);
    this.stop = controls.onChange(() => this.#render());
    this.#render();
  }

  /** Draws again only what is new: what was typed and not saved stays. */
  #render() {
    const { limits } = this.controls;
    if (!limits) return fill(this.rows, el("p", { class: "hint" }, t`Loading…`));
    const who = limits.may_change
      ? t`They apply to all users, from the next call on.`
      : t`They apply to all users. Only an operator of the bridge can change them.`;
    const { running, waiting } = limits.calls;
    fill(this.now, `${who} ${t`Calls now: ${running} running, ${waiting} queued.`}`);
    const version = JSON.stringify([limits.limits, limits.may_change]);
    if (version === this.shown) return;
    this.shown = version;
    this.save.hidden = !limits.may_change;
    this.fields.clear();
    const shown = (/** @type {Limit} */ limit) => (limits.may_change ? this.#limitField(limit) : readOnly(limit));
    fill(this.rows, ...groupLimits(limits.limits).map(([title, members]) => groupOf(title, members.map(shown))));
  }

  /** @param {Limit} limit */
  #limitField(limit) {
    const { label, sentence } = wordsOfLimit(limit);
    const about = el("p", { class: "hint", id: freshId("limit") }, codeSpans(`${sentence} ${rangeOfLimit(limit)}`));
    const problem = el("p", { class: "problem", id: freshId("problem") });
    const described = `${about.id} ${problem.id}`;
    const input = el("input", {
      id: freshId("limit"),
      inputmode: "decimal",
      autocomplete: "off",
      value: String(limit.value),
      "aria-describedby": described,
    });
    this.fields.set(limit.name, { input, problem, limit });
    const unit = limit.name.endsWith("_SECONDS") ? el("span", { class: "hint" }, t`seconds`) : null;
    return el(
      "div",
      { class: "limit", dataset: { limit: limit.name } },
      el("label", { for: input.id }, label),
      el("div", { class: "limit-value" }, input, unit, this.#resetButton(limit, label)),
      about,
      changeNote(limit),
      constantOf(limit),
      problem,
    );
  }

  /** @param {Limit} limit @param {string} of what the limit is called */
  #resetButton(limit, of) {
    if (limit.source !== "kept" && limit.source !== "changed") return null;
    const label =
      limit.source === "kept" ? t`Reset to ${amountOf(limit, limit.default)}` : t`Reset to the value set at start`;
    return button(label, () => void this.#change({ [limit.name]: null }), {
      class: "quiet small",
      "aria-label": `${of}: ${label}`,
    });
  }

  /** Only what was changed is sent, so that the others keep their sources. */
  async #save() {
    const changed = [...this.fields].filter(([, { input, limit }]) => input.value.trim() !== String(limit.value));
    if (changed.length === 0) return fill(this.messages, notice("note", t`Nothing was changed.`));
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
      await this.controls.changeLimits(changes);
      fill(this.messages, notice("good", t`Saved. It applies from the next call on.`));
      announceSentence(t`Limits saved`);
    } catch (failure) {
      this.#showError(failure);
    }
  }

  /** @param {unknown} failure */
  #showError(failure) {
    const name = /** @type {{detail?: {field?: string}}} */ (failure).detail?.field ?? "";
    const field = this.fields.get(name);
    if (!field) return fill(this.messages, notice("error", sentenceOf(failure)));
    fill(field.problem, problemOf(field.limit, field.input.value, failure));
    field.input.setAttribute("aria-invalid", "true");
    field.input.focus();
  }
}

/** The bridge names the constant; whoever typed here knows the limit by its words. @param {Limit} limit @param {string} typed @param {unknown} failure */
function problemOf(limit, typed, failure) {
  const number = numberOf(typed);
  const isInRange = typeof number === "number" && number >= limit.minimum && number <= limit.maximum;
  if (isInRange) return sentenceOf(failure);
  return t`Enter a number from ${limit.minimum} to ${limit.maximum}, not “${typed}”.`;
}

/** @param {string} title @param {HTMLElement[]} rows */
function groupOf(title, rows) {
  const heading = el("h3", { id: freshId("limits") }, title);
  return el(
    "div",
    { class: "limit-group", role: "group", "aria-labelledby": heading.id },
    heading,
    el("div", { class: "limits" }, ...rows),
  );
}

/** @param {Limit} limit */
const constantOf = ({ variable }) => el("code", { class: "constant" }, variable);

/** @param {Limit} limit */
function changeNote(limit) {
  const change = changeOf(limit);
  return change && el("p", { class: "hint" }, el("span", { class: "badge running" }, change.badge), " ", change.words);
}

/** @param {Limit} limit */
function readOnly(limit) {
  const { label, sentence } = wordsOfLimit(limit);
  return el(
    "div",
    { class: "limit", dataset: { limit: limit.name } },
    el("p", null, el("strong", null, label), " ", amountOf(limit, limit.value)),
    el("p", { class: "hint" }, codeSpans(sentence)),
    changeNote(limit),
    constantOf(limit),
  );
}
