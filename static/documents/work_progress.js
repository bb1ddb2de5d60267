// @ts-check
/** Something that takes long, as it shows itself: what is done now, how far it is, for how many seconds, and a way to end it. */
import { t } from "../base/language.js";
import { button, el } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";

/** Seconds after which they are shown: what is quicker needs no clock. */
const SHOWN_AFTER_S = 2;

export class WorkProgress {
  /** @param {() => void} cancel */
  constructor(cancel) {
    this.words = el("p", null);
    this.bar = el("progress", null);
    // a screen reader hears the words, not each number
    this.facts = el("span", { class: "facts", "aria-hidden": "true" });
    this.element = el(
      "div",
      { class: "notice note work", role: "status" },
      el("div", null, this.words, this.bar, this.facts),
      button(t`Cancel`, cancel, { class: "quiet" }),
    );
    this.amount = "";
    this.began = performance.now();
    this.clock = setInterval(() => this.#showFacts(), 1000);
  }

  stop() {
    clearInterval(this.clock);
    this.element.remove();
  }

  /** @param {string} words what is done now */
  showStep(words) {
    this.words.textContent = words;
    this.bar.setAttribute("aria-label", words);
    this.bar.removeAttribute("value");
    this.amount = "";
    this.#showFacts();
  }

  /** @param {import("../types/document_types.js").Amount} amount */
  showAmount({ bytes, total }) {
    if (total !== null) Object.assign(this.bar, { max: total, value: bytes });
    this.amount = total === null ? formatSize(bytes) : t`${formatSize(bytes)} of ${formatSize(total)}`;
    this.#showFacts();
  }

  #showFacts() {
    const seconds = Math.floor((performance.now() - this.began) / 1000);
    const time = seconds >= SHOWN_AFTER_S ? t`${seconds} s` : "";
    this.facts.textContent = [this.amount, time].filter(Boolean).join(" · ");
  }
}
