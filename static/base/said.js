// @ts-check
/**
 * Sentences for programs as well as for people: English, with a code and values by which a page says them in its own language
 * (`retell` of `language.js`, `languages/de_sentences.js`). Pure.
 */

/** @typedef {Readonly<Record<string, string | number>>} Values by their names in the sentence */
/** @typedef {{message: string, sentence?: string, values?: Values}} Said `message`: in English; `sentence`: the code, without which the message is shown as it is */

/** @param {string} text @param {Readonly<Record<string, unknown>>} values @returns {string} with each where its name stands, as in `{origin}` */
export const withValues = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? "?"));

/**
 * @param {string} sentence each has one, in every language
 * @param {string} english
 * @param {Values} [values]
 * @returns {Required<Said>}
 */
export const said = (sentence, english, values = {}) => ({ message: withValues(english, values), sentence, values });

/** @param {string | Said} words a string is in the page's language, or in English alone @returns {Said} */
export const asSaid = (words) => (typeof words === "string" ? { message: words } : words);
