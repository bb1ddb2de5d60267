// @ts-check
/** Bytes as text: Base64 for files, and letters and digits for people. Pure. */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** Bytes that become characters at once: more arguments than some engines take otherwise. */
const PIECE = 0x8000;

/** Crockford's Base32: no I, L, O, U, which are read as 1, 1, 0 or by mistake. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS_OF_FOUR = /.{4}(?=.)/g;

/** @param {Bytes} bytes */
export function encodeBase64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE)
    text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return btoa(text);
}

/** @param {string} text @returns {Bytes} */
export const decodeBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** Each value is 5 bits. @param {Iterable<number>} values @returns {string} in groups of four */
export function writeGroups(values) {
  const chars = Array.from(values, (value) => ALPHABET.charAt(value & 31)).join("");
  return chars.replace(GROUPS_OF_FOUR, "$&-");
}

/**
 * As a person types it: letter case, spaces and hyphens do not matter, and look-alikes are what they look like.
 * @param {string} text
 * @returns {number[] | null} values of 5 bits; null: a character is none of a code
 */
export function readGroups(text) {
  const chars = text.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  const values = Array.from(chars, (char) => ALPHABET.indexOf(char));
  return values.includes(-1) ? null : values;
}

/** @param {number} count @returns {number[]} random values of 5 bits */
export const randomValues = (count) => Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte & 31);
