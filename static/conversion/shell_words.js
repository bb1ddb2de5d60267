// @ts-check
/** Commands as a POSIX shell takes them apart. Nothing is run or looked up. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { ConversionError } from "./request_parts.js";
import { WordList } from "./word_list.js";

/** Before the word that is the standard input of a command: a here-document's text is written there, too. */
export const INPUT = "<<<";

const ESCAPES = /** @type {Record<string, string>} */ (dictionaryOf({ n: "\n", t: "\t", r: "\r", 0: "\0" }));
/** A line that goes on, a comment, part of a word of a POSIX shell, or the end of a command. A backtick at the end of a line is PowerShell's. */
const PIECE =
  /[\\^`]\r?\n|(?<!\S)#[^\n]*|\$'((?:\\.|[^'\\])*)'|'([^']*)'|"((?:\\[^]|[^"\\])*)"|(\$\([^()]*\)|`[^`\n]*`)|\\([^])|(\s*(?:\r?\n|;|&&|\|\|?|&(?=\s|$))\s*)|([ \t\u00a0]+)|((?:[^\s'"\\;|$`]|\$(?!['(])|`)+)/gy;
const SKIPPED = /^(?:[\\^`]\r?\n|#[^\n]*)$/;

/** @param {string} text @returns {(string | null)[]} null: here a command ends @throws {ConversionError} */
export function shellWords(text) {
  const whole = withoutHereDocuments(text.trim());
  const words = new WordList();
  let end = 0;
  for (const [all, ansi, single, double, run, escaped, stop, blank, plain] of whole.matchAll(PIECE)) {
    end += all.length;
    refuseTypeset(plain ?? "", !words.isOpen);
    if (blank !== undefined) words.finish();
    else if (stop !== undefined) words.endCommand();
    else if (!SKIPPED.test(all)) words.add(wordPart({ ansi, single, double, escaped, plain: run ?? plain }));
  }
  if (end < whole.length) throw new ConversionError(t`The curl command has a quote that is not closed.`);
  return words.close();
}

/** `<<EOF` and its lines, as one quoted word. @param {string} text */
function withoutHereDocuments(text) {
  const quoted = (/** @type {string} */ lines) => `'${lines.replaceAll("'", "'\\''")}'`;
  return text.replace(
    /<<-?[ \t]*(["']?)([A-Za-z_]\w*)\1([^\n]*)\n([^]*?\n)??[ \t]*\2(?=\s|$)/g,
    (_, _quote, _mark, rest, lines = "") => `${INPUT} ${quoted(lines)}${rest}`,
  );
}

/** Word processors replace quotes and dashes, and no shell takes those for its own. @param {string} plain outside of quotes @param {boolean} isBeginning of a word @throws {ConversionError} */
function refuseTypeset(plain, isBeginning) {
  const sign = (/[\u201c-\u201f]/.exec(plain) ??
    /^[\u2010-\u2015\u2018-\u201b\u2212]/.exec(isBeginning ? plain : ""))?.[0];
  if (sign)
    throw new ConversionError(
      t`The curl command has “${sign}” of a word processor: write its quotes as ' or ", and its dashes as -.`,
    );
}

/** @param {Record<string, string | undefined>} piece */
function wordPart({ ansi, single, double, escaped, plain }) {
  if (ansi !== undefined)
    return ansi.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g, (_, unit, byte, char) =>
      unit || byte ? String.fromCharCode(parseInt(unit ?? byte, 16)) : (ESCAPES[char] ?? char),
    );
  if (double !== undefined) return double.replace(/\\\r?\n/g, "").replace(/\\(["\\$`])/g, "$1");
  return single ?? escaped ?? plain ?? "";
}
