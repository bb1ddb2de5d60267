// @ts-check
/** Numbers as the language writes them. */
import { counted, locale } from "../base/language.js";

/** @param {number} count @param {string} noun @param {string} [many] its plural */
export const formatCount = (count, noun, many = `${noun}s`) => counted(count, `{0} ${noun}`, `{0} ${many}`);

const DECIMALS = [0, 1, 2].map(
  (digits) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }),
);

/** @param {number} number @param {0 | 1 | 2} digits so many decimals */
export const formatFixed = (number, digits) => DECIMALS[digits].format(Number(number.toFixed(digits)));

/** @param {number} bytes */
export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${formatFixed(bytes / 1024, 1)} KiB` : `${formatFixed(bytes / 1024 ** 2, 1)} MiB`;
}

/** @param {number} ms */
export function formatDuration(ms) {
  return ms < 1000 ? `${formatFixed(ms, ms < 10 ? 1 : 0)} ms` : `${formatFixed(ms / 1000, ms < 10_000 ? 2 : 1)} s`;
}
