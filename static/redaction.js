// @ts-check
/** Removes exact secret values from text, however they were written: plain, percent-encoded, in JSON, in Base64. Pure. */

import { encodeStrict } from "./style.js";

export const MARKER = "[secret]";

/** @param {string} secret */
function writings(secret) {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const asForm = new URLSearchParams([["", secret]]).toString().slice(1);
  return [secret, encodeStrict(secret), encodeURIComponent(secret), inJson, asForm];
}

/**
 * @param {string[]} secrets longest first (see `secretTexts`)
 * @returns {(text: string) => string}
 */
export function redactor(secrets) {
  const all = [...new Set(secrets.flatMap(writings))].sort((a, b) => b.length - a.length);
  return (text) => all.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, MARKER) : left), text);
}
