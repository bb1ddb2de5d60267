// @ts-check
/**
 * Foreign text as a user can trust to read it: nothing in it is invisible, reorders its neighbours or breaks out of its
 * line. Pure.
 */

/** Controls, formatting (bidirectional, zero-width, tags), private and unassigned characters, halves of a pair. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** White space and fillers that look like a space, or like nothing. */
const BLANK = /(?! )\p{Zs}|[\u115F\u1160\u2800\u3164\uFFA0\u034F\u17B4\u17B5\uFE00-\uFE0F]/gu;
/** Marks piled on one letter run over the lines around it. */
const PILE = /\p{M}{4,}/gu;

/** What nobody sees, or what reorders what he sees; no breaks and tabs. */
const HIDDEN =
  /(?![\t\n\r])\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
/** But where an emoji, or a script whose letters they join or keep apart, needs them. */
const LOOSE_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\p{scx=Arab}\p{scx=Bengali}\p{scx=Deva}\p{scx=Gujr}\p{scx=Guru}\p{scx=Khmr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Mong}\p{scx=Mymr}\p{scx=Orya}\p{scx=Sinh}\p{scx=Syrc}\p{scx=Taml}\p{scx=Telu}])[\u200C\u200D]/gu;
const LOOSE_SELECTOR = /(?<![\p{Emoji}\p{scx=Han}])[\uFE00-\uFE0F]/gu;
const PLAIN = /^[\t\n\r\x20-\x7E]*$/;

/** @param {string} text */
const escapeCharacters = (text) =>
  [...text].map((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`).join("");

/** A text of any language as it can be trusted to read. @param {string} text */
export function escapeMarks(text) {
  if (PLAIN.test(text)) return text;
  return [HIDDEN, LOOSE_JOINER, LOOSE_SELECTOR, PILE].reduce(
    (shown, marks) => shown.replace(marks, escapeCharacters),
    text,
  );
}

/** One line. @param {string} text */
export function escapeInvisible(text) {
  return text
    .replace(/\r\n|\r|\n/g, "↵")
    .replaceAll("\t", "⇥")
    .replace(UNSEEN, escapeCharacters)
    .replace(BLANK, escapeCharacters)
    .replace(PILE, escapeCharacters);
}

/** Several lines: each break is a sign and a break. @param {string} text */
export function escapeInvisibleLines(text) {
  return text
    .split(/\r\n|\r|\n/)
    .map(escapeInvisible)
    .join("↵\n");
}

/**
 * @param {string} text
 * @param {number} maxChars
 * @param {number} [maxLines]
 * @returns {{text: string, isCut: boolean}}
 */
export function truncateText(text, maxChars, maxLines = Infinity) {
  const lines = text.slice(0, maxChars).split("\n").slice(0, maxLines);
  const short = lines.join("\n");
  return { text: short, isCut: short.length < text.length };
}

const LINE_CHARS = 100;

/** One bounded line. @param {string} text */
export function truncateLine(text, maxChars = LINE_CHARS) {
  const { text: short, isCut } = truncateText(text, maxChars);
  return escapeInvisible(short) + (isCut ? "…" : "");
}
