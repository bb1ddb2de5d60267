// @ts-check
/** The language of the page, in this browser. */
import { el, labelledField } from "../ui/dom.js";
import { chooseLanguage, chosenLanguage, LANGUAGES, t } from "../base/language.js";

export class LanguagePanel {
  /** @param {{reload: () => void}} [page] texts are loaded with the page */
  constructor(page = { reload: () => location.reload() }) {
    const options = [["", t`As the browser`], ...Object.entries(LANGUAGES)];
    this.choice = el(
      "select",
      { onchange: () => this.#choose(page) },
      ...options.map(([code, name]) => el("option", { value: code, lang: code || null }, name)),
    );
    this.choice.value = chosenLanguage();
    this.element = el(
      "section",
      { class: "panel" },
      el("h2", null, t`Language`),
      labelledField(t`Language of this page`, this.choice),
    );
  }

  /** It subscribes to nothing. */
  stop() {}

  /** @param {{reload: () => void}} page */
  #choose(page) {
    chooseLanguage(this.choice.value);
    page.reload();
  }
}
