// @ts-check
/**
 * What the bridge says of an argument's limits in English, because models read it, in the page's language. It stands at the
 * end of the description, sentence by sentence (`toolserver/schema/hints.py`). Pure.
 */
import { t } from "../base/language.js";

/** Each matches at the end, and takes what is before it first. @type {[pattern: RegExp, say: (...values: string[]) => string][]} */
const SENTENCES = [
  [/^(.*\s)?Value ((?:[<>]=? )?-?[\d.e+-]+(?:–-?[\d.e+-]+)?)\.$/s, (range) => t`Value ${range}.`],
  [/^(.*\s)?Length ((?:[<>]=? )?-?[\d.e+-]+(?:–-?[\d.e+-]+)?)\.$/s, (range) => t`Length ${range}.`],
  [/^(.*\s)?Number of items ((?:[<>]=? )?-?[\d.e+-]+(?:–-?[\d.e+-]+)?)\.$/s, (range) => t`Number of items ${range}.`],
  [/^(.*\s)?Number of keys ((?:[<>]=? )?-?[\d.e+-]+(?:–-?[\d.e+-]+)?)\.$/s, (range) => t`Number of keys ${range}.`],
  [/^(.*\s)?Multiple of ([\d.e+-]+)\.$/s, (factor) => t`Multiple of ${factor}.`],
  [/^(.*\s)?Must be: (.+)\.$/s, (value) => t`Must be: ${value}.`],
  [/^(.*\s)?One of: (.+)\.$/s, (values) => t`One of: ${values}.`],
  [/^(.*\s)?Default: (.+)\.$/s, (value) => t`Default: ${value}.`],
  [/^(.*\s)?Pattern: (.+)\.$/s, (pattern) => t`Pattern: ${pattern}.`],
  [/^(.*\s)?Format: (.+)\.$/s, (format) => t`Format: ${format}.`],
  [/^(.*\s)?Encoding: (.+)\.$/s, (encoding) => t`Encoding: ${encoding}.`],
  [/^(.*\s)?Content: (.+)\.$/s, (type) => t`Content: ${type}.`],
  [/^(.*\s)?Example: (.+)\.$/s, (value) => t`Example: ${value}.`],
  [/^(.*\s)?Needs exactly one of: (`.+`)\.$/s, (forms) => t`Needs exactly one of: ${forms}.`],
  [/^(.*\s)?Needs at least one of: (`.+`)\.$/s, (forms) => t`Needs at least one of: ${forms}.`],
  [/^(.*\s)?No item twice\.$/s, () => t`No item twice.`],
  [/^(.*\s)?Deprecated\.$/s, () => t`Deprecated.`],
  [/^(.*\s)?Required when a body is sent\.$/s, () => t`Required when a body is sent.`],
  [/^(.*\s)?May be null\.$/s, () => t`May be null.`],
];

/** @param {string} text of a description, as the bridge sends it @returns {string} as people of this page read it */
export function labelHints(text) {
  const said = [];
  let rest = text;
  for (let found = lastSentence(rest); found !== null; found = lastSentence(rest)) {
    said.unshift(found.words);
    rest = found.before.trimEnd();
  }
  const between = rest === "" || said.length === 0 ? "" : rest.includes("\n") ? "\n" : " ";
  return `${rest}${between}${said.join(" ")}`;
}

/** The sentence that begins last, as a value may look like one. @param {string} text */
function lastSentence(text) {
  /** @type {{before: string, words: string} | null} */
  let last = null;
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, before = "", ...values] = found;
    if (last === null || before.length > last.before.length) last = { before, words: say(...values) };
  }
  return last;
}
