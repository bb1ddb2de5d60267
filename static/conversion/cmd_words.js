// @ts-check
/** Commands as Windows' cmd takes them apart, such as those of *Copy as cURL (cmd)*. Nothing is run. Pure. */
import { t } from "../base/language.js";
import { ConversionError } from "./request_parts.js";
import { WordList } from "./word_list.js";

/** Whether carets escape in it: before a quote, or at the end of a line. @param {string} text */
export const isForCmd = (text) => /^[^'\n]*(?:\s\^"|\^\r?(?:\n|$))/.test(text);

/** To cmd itself, which knows no escape within its quotes. */
const SHELL_PIECE = /\^\r?\n(\r?\n)?|\^([^])|"[^"]*"?|[&|\r\n]+|[^"^&|\r\n]+/g;
/** To the program, which is given its line as one text. */
const PROGRAM_PIECE = /(\\*)"|([ \t\n]+)|(\0)|([^"\\ \t\n\0]+|\\+)/g;
const END = "\0";

/** @param {string} text @returns {(string | null)[]} null: here a command ends @throws {ConversionError} */
export function cmdWords(text) {
  const words = new WordList();
  let [isQuoted, isClosed] = [false, false];
  for (const [all, slashes, blank, stop] of withoutCarets(text).matchAll(PROGRAM_PIECE)) {
    const wasClosed = isClosed;
    isClosed = false;
    if (slashes !== undefined) {
      const isLiteral = slashes.length % 2 === 1 || wasClosed; // "" within quotes is a quote
      words.add(slashes.slice(0, slashes.length / 2) + (isLiteral ? '"' : ""));
      isClosed = isQuoted && !isLiteral;
      isQuoted = wasClosed || (isLiteral ? isQuoted : !isQuoted);
    } else if (stop !== undefined) words.endCommand();
    else if (blank !== undefined && !isQuoted) words.finish();
    else words.add(all);
  }
  if (isQuoted) throw new ConversionError(t`The curl command has a quote that is not closed.`);
  return words.close();
}

/** @param {string} text @returns {string} with `END` where a command ends */
function withoutCarets(text) {
  return text.trim().replace(SHELL_PIECE, (all, newline, escaped) => {
    if (all.startsWith("^")) return newline ? "\n" : (escaped ?? "");
    return /^[&|\r\n]/.test(all) ? END : all;
  });
}
