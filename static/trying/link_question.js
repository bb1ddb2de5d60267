// @ts-check
/** What a link filled into the form of a tool that can change something, shown once more: it runs by a second press only. */
import { t } from "../base/language.js";
import { argumentList, cardAddress } from "../approvals/approval_card.js";
import { announceSentence, button, el, fill } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */

const TITLE = t`Run what a link filled in?`;

export class LinkQuestion {
  constructor() {
    this.element = el("div");
  }

  /**
   * @param {{method: string, url: string}} request as it would be sent
   * @param {JsonObject} args
   * @param {(isTrusted: boolean) => void} run isTrusted: its user pressed it
   */
  ask({ method, url }, args, run) {
    const decide = (/** @type {Event} */ event) => {
      this.close();
      run(event.isTrusted);
    };
    const yes = guardControl(button(t`Run it (${method})`, decide, { class: "primary unsafe" }));
    const title = el("h2", { tabindex: "-1" }, TITLE);
    const shown = Object.entries(args).map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : stringifyJson(value),
      is_json: typeof value !== "string",
    }));
    fill(
      this.element,
      el(
        "section",
        { class: "card", "aria-label": TITLE },
        title,
        el("p", null, t`It can change data. Run it only if you expected this link and want exactly this.`),
        cardAddress({ method, url, is_safe: false }),
        argumentList({ args: shown, more_args: 0 }),
        el(
          "div",
          { class: "actions" },
          button(t`Do not run it`, () => this.close()),
          yes,
        ),
      ),
    );
    announceSentence(TITLE);
    title.focus();
  }

  /** What it asked about is over, or another thing now. */
  close() {
    fill(this.element);
  }
}
