// @ts-check
/**
 * Removes exact secret values from texts, facts and files, however they were written: plain, percent-encoded, in JSON, in Base64; and which texts
 * among the arguments of a call are secret by their names. The bridge uses the same names. Pure.
 */

import { encodeStrict } from "../request/parameter_style.js";

export const MARKER = "[secret]";

/** As some write it who escape letters, too. @param {string} text */
const encodeEveryByte = (text) => Array.from(new TextEncoder().encode(text), percentEncodeByte).join("");

/** @param {number} byte */
const percentEncodeByte = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;

/** @param {string} secret */
function plainEncodings(secret) {
  const asForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const encoded = [encodeStrict(secret), encodeURIComponent(secret), asForm, encodeEveryByte(secret)];
  const lower = encoded.map((text) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()));
  return [secret, ...encoded, ...lower, ...jsonEncodings(secret)];
}

/**
 * Many servers escape what JSON need not: Python everything beyond ASCII, PHP that and slashes, Go what HTML knows,
 * .NET all of it but slashes, and quotes and "+", in upper case.
 * @param {string} secret
 */
function jsonEncodings(secret) {
  const plain = JSON.stringify(secret).slice(1, -1);
  const hex = (/** @type {string} */ unit) => unit.charCodeAt(0).toString(16).padStart(4, "0");
  const lower = (/** @type {string} */ unit) => `\\u${hex(unit)}`;
  const upper = (/** @type {string} */ unit) => `\\u${hex(unit).toUpperCase()}`;
  const ascii = plain.replace(/[^\0-\x7F]/g, lower);
  const html = plain.replace(/[<>&]/g, lower);
  const dotnet = plain.replaceAll('\\"', "\\u0022").replace(/[<>&'+`]|[^\0-\x7F]/g, upper);
  return [plain, ascii, html, dotnet].flatMap((text) => [text, text.replaceAll("/", "\\/")]);
}

/** Longest first, so that none is cut in two by a shorter one. @param {string[]} secrets */
const allEncodings = (secrets) => [...new Set(secrets.flatMap(plainEncodings))].sort((a, b) => b.length - a.length);

/** Maximum characters of a secret at a cut that reveal nothing. */
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
export function createRedactor(secrets) {
  const all = allEncodings(secrets);
  return (text, isCut = false) => {
    const left = all.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, MARKER) : rest), text);
    return isCut ? withoutHalf(left, all) : left;
  };
}

/**
 * @template T
 * @param {T} facts JSON
 * @param {(text: string) => string} redact
 * @returns {T} the same with every text in it redacted
 */
export function redactFacts(facts, redact) {
  const each = (/** @type {unknown} */ value) => redactFacts(value, redact);
  /** @type {unknown} */
  let redacted = facts;
  if (typeof facts === "string") redacted = redact(facts);
  else if (Array.isArray(facts)) redacted = facts.map(each);
  else if (typeof facts === "object" && facts !== null)
    redacted = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, each(value)]));
  return /** @type {T} */ (redacted);
}

const STAR = 42;

/**
 * In a file secrets are overwritten, byte by byte: with another length it would be no file of its kind any more.
 * @param {Uint8Array} content changed in place
 * @param {string[]} secrets
 */
export function overwriteSecrets(content, secrets) {
  for (const writing of allEncodings(secrets)) {
    const bytes = new TextEncoder().encode(writing);
    for (let at = findBytes(content, bytes, 0); at >= 0; at = findBytes(content, bytes, at + bytes.length))
      content.fill(STAR, at, at + bytes.length);
  }
}

/** @param {Uint8Array} content @param {Uint8Array} wanted @param {number} from */
function findBytes(content, wanted, from) {
  let at = content.indexOf(wanted[0], from);
  while (at >= 0 && !wanted.every((byte, index) => content[at + index] === byte))
    at = content.indexOf(wanted[0], at + 1);
  return at;
}

const SECRET_NAME =
  /passw(or)?d|passphrase|passcode|secret|token|credential|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|sessionid|^cookie|^pwd$|^pin$|^otp$|^cvv2?$|^cvc2?$/;
const HARMLESS_NAME = /tokens$|(page|next|previous|continuation|sync)token$|^tokentype$|^secretname$/;

/** Shorter ones would blank half of a log. */
const LEAST_CHARS = 4;

/** Whether what stands under a name is to be kept secret. @param {string} name */
export function isSecretName(name) {
  const bare = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_NAME.test(bare) && !HARMLESS_NAME.test(bare);
}

/**
 * Texts whose names say that they are secret.
 * @param {unknown} value arguments, JSON
 * @param {boolean} [isSecret] it stands under a secret name
 * @returns {string[]} longest first
 */
export function argumentSecrets(value, isSecret = false) {
  return leafTexts(value, isSecret).sort((a, b) => b.length - a.length);
}

/**
 * @param {(text: string, isCut?: boolean) => string} redact removes credentials
 * @param {unknown} args
 * @returns {(text: string, isCut?: boolean) => string} removes these and the secrets among the arguments
 */
export function createLogRedactor(redact, args) {
  const mask = createRedactor(argumentSecrets(args));
  return (text, isCut = false) => mask(redact(text, isCut), isCut);
}

/** @param {unknown} value @param {boolean} isSecret @returns {string[]} */
function leafTexts(value, isSecret) {
  if (Array.isArray(value)) return value.flatMap((item) => leafTexts(item, isSecret));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, member]) => leafTexts(member, isSecret || isSecretName(name)));
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isSecret && isText && String(value).length >= LEAST_CHARS ? [String(value)] : [];
}
