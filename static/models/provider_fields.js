// @ts-check
/** The fields of one provider, filled with what is known of it. */
import { t, verbatim } from "../base/language.js";
import { el } from "../ui/dom.js";
import { MAX_CHARS, MIN_CHARS, PRESETS } from "./provider_choice.js";

/** @typedef {import("../types/provider_types.js").Provider} Provider */

/** @type {[string, string][]} */
const API_WORDS = [
  ["", t`Automatic`],
  ["chat", verbatim("Chat Completions")],
  ["responses", verbatim("Responses")],
  ["messages", verbatim("Messages")],
];

/** Names of those whose rules these are, and of none. @type {[string, string][]} */
const DIALECT_WORDS = [
  ["", t`Automatic`],
  ["openai", verbatim("OpenAI")],
  ["openai-legacy", t`OpenAI, models before GPT-4.1`],
  ["azure", verbatim("Azure")],
  ["gemini", verbatim("Gemini")],
  ["anthropic", verbatim("Anthropic")],
  ["plain", t`No rules of their own`],
];

/** @type {[string, string][]} */
const STRICT_WORDS = [
  ["", t`Automatic`],
  ["on", t`Where possible`],
  ["off", t`Off`],
];

/** @type {[string, string][]} */
const SEARCH_WORDS = [
  ["", t`Automatic`],
  ["on", t`On`],
  ["off", t`Off`],
];

/** @param {[string, string][]} words @param {string} chosen */
const choiceField = (words, chosen) =>
  el("select", null, ...words.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));

/** @param {() => void} chosen */
export const presetField = (chosen) =>
  el(
    "select",
    { onchange: chosen },
    ...PRESETS.map(({ id, label }) => el("option", { value: id }, label)),
    el("option", { value: "" }, t`Another address`),
  );

/** A name that is stored stays. @param {Provider | null} known */
export const nameField = (known) =>
  el("input", {
    type: "text",
    autocomplete: "off",
    maxlength: 100,
    value: known?.name ?? "",
    disabled: known !== null,
  });

/** @param {Provider | null} known */
export const addressField = (known) =>
  el("input", {
    type: "url",
    inputmode: "url",
    autocomplete: "off",
    spellcheck: "false",
    value: known?.base_url ?? "",
  });

/** @param {Provider | null} known */
export const protocolField = (known) => choiceField(API_WORDS, known?.api ?? "");

/** @param {Provider | null} known */
export const dialectField = (known) => choiceField(DIALECT_WORDS, known?.dialect ?? "");

/** @param {Provider | null} known */
export const strictField = (known) => choiceField(STRICT_WORDS, wordOf(known?.strict_tools));

/** @param {Provider | null} known */
export const searchField = (known) => choiceField(SEARCH_WORDS, wordOf(known?.tool_search));

/** @param {boolean | null | undefined} isOn */
const wordOf = (isOn) => (isOn === null || isOn === undefined ? "" : isOn ? "on" : "off");

/** @param {Provider | null} known */
export const charsField = (known) =>
  el("input", {
    type: "number",
    min: MIN_CHARS,
    max: MAX_CHARS,
    placeholder: t`Automatic`,
    value: known?.max_description_chars ?? "",
  });
