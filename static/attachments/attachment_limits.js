// @ts-check
/** Files of a message: how many, how large, and under which names. Pure. */
import { t } from "../base/language.js";
import { formatSize } from "../ui/format_count.js";

/** As the bridge takes them (`bridge/models/conversations/attachments.py`). */
export const MAX_FILES = 10;
export const MAX_FILE_BYTES = 5 * 1024 ** 2;
export const MAX_MESSAGE_BYTES = 16 * 1024 ** 2;

/** @typedef {{name: string, size: number}} Sized */

/**
 * Which of some files may be added, and why the others may not.
 * @template {Sized} T
 * @param {readonly Sized[]} present @param {readonly T[]} added
 * @returns {{taken: T[], problems: string[]}}
 */
export function chooseFiles(present, added) {
  /** @type {T[]} */
  const taken = [];
  /** @type {string[]} */
  const problems = [];
  let total = present.reduce((sum, { size }) => sum + size, 0);
  for (const file of added) {
    const problem = problemOf(file, present.length + taken.length, total);
    if (problem !== "") problems.push(problem);
    else {
      taken.push(file);
      total += file.size;
    }
  }
  return { taken, problems: [...new Set(problems)] };
}

/** @param {Sized} file @param {number} count @param {number} total */
function problemOf({ name, size }, count, total) {
  if (size > MAX_FILE_BYTES) return t`${name} has ${formatSize(size)}; a file may have ${formatSize(MAX_FILE_BYTES)}.`;
  if (count >= MAX_FILES) return t`A message may have ${MAX_FILES} files.`;
  return total + size > MAX_MESSAGE_BYTES
    ? t`The files of a message may have ${formatSize(MAX_MESSAGE_BYTES)} together.`
    : "";
}

/** A name that the bridge takes. @param {string} name */
export const plainName = (name) => name.replace(/[/\\\p{Cc}]+/gu, "_").slice(-200) || "file";

/** A type that the bridge takes; browsers know none of many files. @param {string} type */
export function plainType(type) {
  const essence = type.split(";", 1)[0].trim().toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) ? essence : "application/octet-stream";
}

/** Whether a picture of that type is shown. @param {string} mime */
export const isShown = (mime) => ["image/png", "image/jpeg", "image/gif", "image/webp"].includes(mime);
