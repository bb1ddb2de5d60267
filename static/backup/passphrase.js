// @ts-check
/** Passphrases for backups: how strong one seems, and one made here. Pure but for random numbers. */
import { t } from "../base/language.js";
import { randomValues, writeGroups } from "./byte_text.js";

/** @typedef {{level: "short" | "weak" | "fair" | "strong", sentence: string}} Strength  short and weak ones are not taken */

export const MIN_CHARS = 12;
/** Of 5 bits each: 100 bits, which nobody guesses. */
const MADE_CHARS = 20;
/** Bits that a character adds, roughly: a new one, and one that repeats or only counts on. */
const NEW_BITS = 4;
const OLD_BITS = 1;
const FAIR_BITS = 40;
const STRONG_BITS = 60;

/** @param {string} passphrase @returns {Strength} */
export function strengthOf(passphrase) {
  const length = [...passphrase].length;
  if (length < MIN_CHARS) return { level: "short", sentence: t`At least ${MIN_CHARS} characters; ${length} so far.` };
  const bits = guessBits(passphrase);
  if (bits < FAIR_BITS)
    return { level: "weak", sentence: t`Weak: too much of it repeats. Use several words, or make one.` };
  if (bits < STRONG_BITS) return { level: "fair", sentence: t`Fair: two more words would make it strong.` };
  return { level: "strong", sentence: t`Strong.` };
}

/** @param {Strength} strength */
export const isEnough = ({ level }) => level === "fair" || level === "strong";

/** One that nobody guesses, in groups. */
export const makePassphrase = () => writeGroups(randomValues(MADE_CHARS));

/** A rough estimate that knows no words. @param {string} passphrase */
function guessBits(passphrase) {
  const codes = Array.from(passphrase.toLowerCase(), (char) => char.codePointAt(0) ?? 0);
  const leaps = codes.filter((code, place) => place === 0 || Math.abs(code - (codes[place - 1] ?? 0)) > 1);
  const fresh = new Set(leaps).size;
  return fresh * NEW_BITS + (codes.length - fresh) * OLD_BITS;
}
