// @ts-check
/**
 * The language of this page, chosen in the settings or else by the browser. Its texts are loaded before any module that imports this one
 * runs, so that constants can be texts; another choice loads the page anew. A worker has the language that is its name; without one, as the executor's, it is English.
 */
import { ownName } from "./bridge_paths.js";
import { dictionaryOf } from "./dictionary.js";
import { NOTHING, Texts } from "./texts.js";

/** A name that is the same in every language. @template {string} T @param {T} name @returns {T} */
export const verbatim = (name) => name;

/** Languages, by their own names. */
export const LANGUAGES = dictionaryOf({ en: verbatim("English"), de: verbatim("Deutsch") });

/** @type {Record<string, () => Promise<import("./texts.js").Catalog>>} */
const CATALOGS = dictionaryOf({ de: async () => (await import("../languages/de.js")).GERMAN });

const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur"]);
const CHOICE = ownName("tool-bridge-language");

/** What the user chose; empty: as the browser. */
export function chosenLanguage() {
  try {
    return localStorage.getItem(CHOICE) ?? "";
  } catch {
    return ""; // no page, or one without storage
  }
}

/** @param {string} language a code, or empty for the browser's; holds from the next load of the page */
export function chooseLanguage(language) {
  if (language) localStorage.setItem(CHOICE, language);
  else localStorage.removeItem(CHOICE);
}

/** @param {string} locale */
const languageOf = (locale) => locale.split("-", 1)[0]?.toLowerCase() ?? "";

/**
 * @param {string} chosen a code, or empty
 * @param {readonly string[]} offered what the browser asks for, best first
 * @returns {string} the locale: the browser's own for that language, if it names one
 */
export function pickLocale(chosen, offered) {
  const language = chosen in LANGUAGES ? chosen : (offered.map(languageOf).find((each) => each in LANGUAGES) ?? "en");
  return offered.find((each) => languageOf(each) === language) ?? language;
}

const locale =
  typeof document === "undefined"
    ? pickLocale(/** @type {{name?: string}} */ (globalThis).name ?? "", [])
    : pickLocale(chosenLanguage(), globalThis.navigator?.languages ?? []);

/** Code of the language, for example `de`. */
export const language = languageOf(locale);

/** @returns {"ltr" | "rtl"} */
export const directionOf = (/** @type {string} */ code) => (RIGHT_TO_LEFT.has(code) ? "rtl" : "ltr");

// Without its texts (the bridge has stopped, say) the page is English rather than empty.
const load = CATALOGS[language];
const catalog = load ? await load().catch(() => NOTHING) : NOTHING;

export const { t, counted, formatNumber, formatList, errorSentence, retell } = new Texts(locale, catalog);
export { locale };
