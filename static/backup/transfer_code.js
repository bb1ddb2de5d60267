// @ts-check
/**
 * The code of a transfer: a secret for people to type, from which come the id that the bridge knows and the key that it cannot know
 * (ADR 38). Pure but for WebCrypto.
 */
import { t, verbatim } from "../base/language.js";
import { randomValues, readGroups, writeGroups } from "./byte_text.js";

/** @typedef {{id: string, key: CryptoKey}} TransferSecret  id: 128 bits in hexadecimal */

/** Of 5 bits each: 130 bits. */
const SECRET_CHARS = 26;
/** So that a slip of the finger is noticed here, and no attempt is lost. */
const CHECK_CHARS = 2;
const ID_BITS = 128;
const ID_INFO = verbatim("tool-bridge transfer id");
const KEY_INFO = verbatim("tool-bridge transfer key");

/** What was typed is no code; the message is for the user. */
export class CodeError extends Error {
  constructor() {
    super(
      t`This is no code of a transfer: it has ${SECRET_CHARS + CHECK_CHARS} letters and digits. Compare each group.`,
    );
    this.name = verbatim("CodeError");
    this.code = "bad_code";
  }
}

/** @returns {Promise<string>} a new code, in groups */
export async function makeCode() {
  const secret = randomValues(SECRET_CHARS);
  return writeGroups([...secret, ...(await checkOf(secret))]);
}

/** @param {string} code as it was made, or typed @returns {Promise<TransferSecret>} @throws {CodeError} */
export async function readCode(code) {
  const values = readGroups(code);
  if (values?.length !== SECRET_CHARS + CHECK_CHARS) throw new CodeError();
  const secret = values.slice(0, SECRET_CHARS);
  const check = await checkOf(secret);
  if (check.some((value, place) => value !== values[SECRET_CHARS + place])) throw new CodeError();
  const material = await crypto.subtle.importKey("raw", new Uint8Array(secret), "HKDF", false, [
    "deriveBits",
    "deriveKey",
  ]);
  const id = new Uint8Array(await crypto.subtle.deriveBits(derivation(ID_INFO), material, ID_BITS));
  const key = await crypto.subtle.deriveKey(derivation(KEY_INFO), material, { name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
  return { id: Array.from(id, (byte) => byte.toString(16).padStart(2, "0")).join(""), key };
}

/** @param {string} info */
const derivation = (info) => ({
  name: "HKDF",
  hash: "SHA-256",
  salt: new Uint8Array(),
  info: new TextEncoder().encode(info),
});

/** @param {number[]} secret */
async function checkOf(secret) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(secret)));
  return Array.from(digest.subarray(0, CHECK_CHARS), (byte) => byte & 31);
}
