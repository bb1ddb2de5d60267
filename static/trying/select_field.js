// @ts-check
/** The field for a query of the answer, which the API never sees. */
import { t } from "../base/language.js";
import { el, link } from "../ui/dom.js";

const LANGUAGE = "https://jmespath.org/";

export class SelectField {
  constructor() {
    this.input = el("input", {
      type: "text",
      maxlength: "1000",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "items[?price > `10`].name",
      dataset: { testid: "select" },
    });
    this.element = el(
      "details",
      { class: "answer-query" },
      el("summary", null, t`Choose from the answer`),
      el("label", null, t`Query (JMESPath)`, " ", this.input),
      el(
        "p",
        { class: "hint" },
        t`You see what it selects. The API and the stored answer do not change.`,
        " ",
        link(t`The language`, LANGUAGE),
      ),
    );
  }

  /** @returns {string | undefined} undefined: none */
  read() {
    return this.input.value.trim() || undefined;
  }
}
