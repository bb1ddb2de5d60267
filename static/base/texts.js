// @ts-check
/**
 * Texts, numbers and lists of one language. Pure. An English text is its own key, with `{0}`, `{1}`… in the places of values, which
 * a translation may put in another order.
 */

import { dictionaryOf, memberOf } from "./dictionary.js";
import { withValues } from "./said.js";

/** @typedef {string | number | bigint} Value */
/** @typedef {{texts: Record<string, string>, errors: Record<string, string>, sentences: Record<string, string>}} Catalog  keys to texts, codes of errors and of what was said to sentences */

/** What English has: each text is as it was written. @type {Catalog} */
export const NOTHING = { texts: {}, errors: {}, sentences: {} };

/** Forms of a noun stand in a text in this order, as many as the language has. */
const FORMS = ["zero", "one", "two", "few", "many", "other"];

export class Texts {
  /**
   * @param {string} locale BCP 47, for example `de-AT`
   * @param {Catalog} catalog
   */
  constructor(locale, catalog) {
    this.locale = locale;
    this.catalog = catalog;
    this.numbers = new Intl.NumberFormat(locale);
    this.plurals = new Intl.PluralRules(locale);
    const categories = new Set(/** @type {string[]} */ (this.plurals.resolvedOptions().pluralCategories));
    this.forms = FORMS.filter((form) => categories.has(form));
  }

  /**
   * A text with values: `` t`${name} runs ${count} calls.` ``. Numbers are written as the language writes them.
   * @param {readonly string[]} strings
   * @param {...Value} values
   */
  t = (strings, ...values) => {
    const key = strings.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
    return this.#insert(this.catalog.texts[key] ?? key, values);
  };

  /**
   * A text that depends on a count, which is its `{0}`.
   * @param {number} count
   * @param {string} one English for 1
   * @param {string} other English for any other number
   * @param {...Value} values `{1}`, `{2}`…
   */
  counted = (count, one, other, ...values) => {
    const found = this.catalog.texts[`${one}|${other}`];
    const forms = found?.split("|") ?? [one, other];
    const form = found === undefined ? Number(count !== 1) : this.forms.indexOf(this.plurals.select(count));
    return this.#insert(forms[form] ?? /** @type {string} */ (forms.at(-1)), [count, ...values]);
  };

  /** @param {number | bigint} number @param {Intl.NumberFormatOptions} [how] */
  formatNumber = (number, how) => (how ? new Intl.NumberFormat(this.locale, how) : this.numbers).format(number);

  /** @param {Iterable<string>} items @param {"conjunction" | "disjunction"} [type] "a, b and c" or "a, b or c" */
  formatList = (items, type = "conjunction") => new Intl.ListFormat(this.locale, { type }).format(items);

  /**
   * What the bridge or a probe says of a failure: in English in its own words, which are the most exact.
   * @param {import("./said.js").Said & {code?: unknown, detail?: object}} failure
   */
  errorSentence = ({ code, message, detail, sentence = "", values }) => {
    const words = memberOf(this.catalog.sentences, sentence) ?? memberOf(this.catalog.errors, String(code));
    return words === undefined ? message : withValues(words, dictionaryOf({ ...detail, ...values, message }));
  };

  /** The same where the code is not one of the bridge's errors. @param {import("./said.js").Said} told */
  retell = ({ message, sentence, values }) => this.errorSentence({ message, sentence, values });

  /** @param {string} text @param {Value[]} values */
  #insert(text, values) {
    return text.replace(/\{(\d+)\}/g, (place, index) => {
      const value = values[index];
      return value === undefined ? place : typeof value === "string" ? value : this.formatNumber(value);
    });
  }
}
