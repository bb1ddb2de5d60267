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

/**
 * @param {string[]} secrets longest first (see `secretTexts`)
 * @returns {(text: string) => string}
 */
export function redactor(secrets) {
  const all = [...new Set(secrets.flatMap(writings))].sort((a, b) => b.length - a.length);
  return (text) => all.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, MARKER) : left), text);
}
