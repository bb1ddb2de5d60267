// @ts-check
/** What is known of common providers, and what a form of one becomes. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { counted, formatNumber, t, verbatim } from "../base/language.js";

/** @typedef {import("../types/provider_types.js").Provider} Provider */
/** @typedef {{name: string, url: string, key: string, api: string, models: string[], shared: boolean, dropsKey: boolean, dialect: string, strict: string, chars: string, search: string}} FormValues */

/** Addresses are those that their makers document. */
export const PRESETS = [
  { id: "openai", label: verbatim("OpenAI"), url: "https://api.openai.com/v1", needsKey: true },
  { id: "anthropic", label: verbatim("Anthropic"), url: "https://api.anthropic.com/v1", needsKey: true },
  { id: "openrouter", label: verbatim("OpenRouter"), url: "https://openrouter.ai/api/v1", needsKey: true },
  { id: "mistral", label: verbatim("Mistral"), url: "https://api.mistral.ai/v1", needsKey: true },
  { id: "groq", label: verbatim("Groq"), url: "https://api.groq.com/openai/v1", needsKey: true },
  { id: "ollama", label: t`Ollama on this computer`, url: "http://127.0.0.1:11434/v1", needsKey: false },
  { id: "lmstudio", label: t`LM Studio on this computer`, url: "http://127.0.0.1:1234/v1", needsKey: false },
];

/** Range of the characters of a description, as the bridge has it. */
export const MIN_CHARS = 100;
export const MAX_CHARS = 16_000;

/** A name that no other provider has. @param {string} wanted @param {string[]} taken */
export function freeName(wanted, taken) {
  const stem = wanted.trim().replace(/[\s/]+/g, "-") || "provider";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** What is wrong with the form, by field; empty when nothing is. @param {FormValues} values @param {string[]} taken @returns {Partial<Record<"name" | "base_url" | "chars", string>>} */
export function faultsOf({ name, url, chars }, taken) {
  const named =
    name === ""
      ? t`Enter a name.`
      : /[\s/]/.test(name)
        ? t`A name has no spaces and no slash.`
        : taken.includes(name)
          ? t`There is a provider of that name.`
          : "";
  const addressed =
    url === ""
      ? t`Enter the address.`
      : URL.canParse(url) && /^https?:/i.test(url)
        ? ""
        : t`Enter an address such as https://api.openai.com/v1.`;
  const limited =
    chars === "" || isLimit(Number(chars))
      ? ""
      : t`Enter a number from ${formatNumber(MIN_CHARS)} to ${formatNumber(MAX_CHARS)}, or nothing.`;
  return {
    ...(named ? { name: named } : {}),
    ...(addressed ? { base_url: addressed } : {}),
    ...(limited ? { chars: limited } : {}),
  };
}

/** @param {number} chars */
const isLimit = (chars) => Number.isInteger(chars) && chars >= MIN_CHARS && chars <= MAX_CHARS;

/** What a field with "on" and "off" decides; null: nothing. @param {string} value */
const chosenOf = (value) => (value === "" ? null : value === "on");

/** The body of a request; a key that was not typed stays as the bridge has it. @param {FormValues} values */
export function bodyOf({ url, key, api, models, shared, dropsKey, dialect, strict, chars, search }) {
  const rules = {
    dialect: /** @type {import("../types/provider_types.js").Dialect | null} */ (dialect || null),
    strict_tools: chosenOf(strict),
    max_description_chars: chars === "" ? null : Number(chars),
    tool_search: chosenOf(search),
  };
  return {
    base_url: url,
    api: api === "" ? null : api,
    key: key !== "" ? key : dropsKey ? "" : null,
    models,
    shared,
    ...rules,
  };
}

/** All of them is no choice: what the provider adds later is offered too. @param {string[]} listed @param {Set<string>} chosen */
export const choiceOf = (listed, chosen) =>
  listed.every((name) => chosen.has(name)) && chosen.size === listed.length ? [] : [...chosen];

/** In words. @param {Provider} provider */
export function describeProvider({ has_key, key_lost, models, source, shared }) {
  const offered =
    models.length === 0 ? t`All models it lists` : counted(models.length, "{0} model: {1}", "{0} models", models[0]);
  const key = key_lost
    ? t`its key cannot be read any more: enter it again`
    : has_key
      ? t`key stored on the bridge`
      : t`no key`;
  const whose = dictionaryOf({
    settings: t`set by the operator`,
    shared: t`shared by the operator`,
    own: shared ? t`shared with all users` : "",
  })[source];
  return [offered, source === "own" || has_key ? key : "", whose].filter(Boolean).join(" · ");
}
