// @ts-check
/** Removes exact secret values from text, however they were written: plain, percent-encoded, in JSON, in Base64. Pure. */

import { encodeStrict } from "./style.js";

export const MARKER = "[secret]";

/** @param {string} secret */
function writings(secret) {
  const asForm = new URLSearchParams([["", secret]]).toString().slice(1);
  return [secret, encodeStrict(secret), encodeURIComponent(secret), asForm, ...jsonWritings(secret)];
}

/** Many servers escape what JSON need not: Python everything beyond ASCII, PHP that and slashes. @param {string} secret */
function jsonWritings(secret) {
  const plain = JSON.stringify(secret).slice(1, -1);
  const code = (/** @type {string} */ unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const ascii = plain.replace(/[^\0-\x7F]/g, code);
  return [plain, ascii].flatMap((text) => [text, text.replaceAll("/", "\\/")]);
}

/** So few characters of a secret at a cut tell nothing. */
const HARMLESS = 3;

/**
 * Where a text that was cut ends within a secret, that beginning goes too.
 * @param {string} text
 * @param {string[]} all
 */
function withoutHalf(text, all) {
  let start = text.length;
  for (const secret of all)
    for (let length = Math.min(secret.length - 1, text.length); length > HARMLESS; length -= 1)
      if (text.endsWith(secret.slice(0, length))) start = Math.min(start, text.length - length);
  return start < text.length ? text.slice(0, start) + MARKER : text;
}

/**
 * @param {string[]} secrets longest first (see `secretTexts`)
 * @returns {(text: string, isCut?: boolean) => string} `isCut`: the text was cut and may end within a secret
 */
export function redactor(secrets) {
  const all = [...new Set(secrets.flatMap(writings))].sort((a, b) => b.length - a.length);
  return (text, isCut = false) => {
    const left = all.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, MARKER) : rest), text);
    return isCut ? withoutHalf(left, all) : left;
  };
}
