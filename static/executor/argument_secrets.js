// @ts-check
/** Texts of a call's arguments whose names say that they are secret, for the log. The bridge keeps to the same names. Pure. */

import { redactor } from "./redaction.js";

const SECRET =
  /passw(or)?d|passphrase|passcode|secret|token|credential|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|sessionid|^cookie|^pwd$|^pin$|^otp$|^cvv2?$|^cvc2?$/;
const HARMLESS = /tokens$|(page|next|previous|continuation|sync)token$|^tokentype$|^secretname$/;

/** Shorter ones would blank half of a log. */
const LEAST_CHARS = 4;

/** @param {string} name */
function isSecretName(name) {
  const bare = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET.test(bare) && !HARMLESS.test(bare);
}

/**
 * @param {unknown} value arguments, JSON
 * @param {boolean} [isSecret] it stands under a secret name
 * @returns {string[]} longest first
 */
export function argumentSecrets(value, isSecret = false) {
  return leaves(value, isSecret).sort((a, b) => b.length - a.length);
}

/**
 * @param {(text: string, isCut?: boolean) => string} redact removes credentials
 * @param {unknown} args
 * @returns {(text: string, isCut?: boolean) => string} removes these and the secrets among the arguments
 */
export function logRedactor(redact, args) {
  const mask = redactor(argumentSecrets(args));
  return (text, isCut = false) => mask(redact(text, isCut), isCut);
}

/** @param {unknown} value @param {boolean} isSecret @returns {string[]} */
function leaves(value, isSecret) {
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, isSecret));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, member]) => leaves(member, isSecret || isSecretName(name)));
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isSecret && isText && String(value).length >= LEAST_CHARS ? [String(value)] : [];
}
