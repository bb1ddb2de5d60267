// @ts-check
/**
 * A backup as text: its header in the clear, its content compressed and encrypted with AES-256-GCM, which authenticates the header too.
 * The key comes from a passphrase, or from the secret of a transfer code (ADR 38). Pure but for WebCrypto.
 */
import { t, verbatim } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { formatSize } from "../ui/format_count.js";
import { decodeBase64, encodeBase64 } from "./byte_text.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */
/** @typedef {{derivation: string, iterations: number, salt: string}} KeyHeader  iterations and salt: 0 and "" of a transfer */
/** @typedef {{format: string, version: number, key: KeyHeader, iv: string, content: string}} Envelope */
/** @typedef {"wrong_key" | "not_a_backup" | "damaged" | "newer_version" | "too_large"} BackupFault */

/** Persisted names. */
const FORMAT = verbatim("tool-bridge browser backup");
const BY_PASSPHRASE = "PBKDF2-SHA-256";
const BY_CODE = "HKDF-SHA-256";

const VERSION = 1;
/** What OWASP's Password Storage Cheat Sheet asks for with SHA-256. */
export const ITERATIONS = 600_000;
/** Of a file: fewer would be a weak key, more would keep the page busy for a minute. */
const MOST_ITERATIONS = 10_000_000;
const SALT_BYTES = 16;
const IV_BYTES = 12;

/** Characters of a file, and of what passes through the bridge (`bridge/browsers/transfers.py`). */
export const MAX_FILE_CHARS = 16 * 1024 * 1024;
export const MAX_TRANSFER_CHARS = 1024 * 1024;
/** Bytes of a content that is unpacked, whatever it was packed into. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;

/** What is wrong with a backup; the message is for the user. */
export class BackupError extends Error {
  /** @param {BackupFault} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = verbatim("BackupError");
    this.code = code;
  }
}

/** @param {JsonValue} content @param {string} passphrase @returns {Promise<string>} the text of a file */
export async function sealWithPassphrase(content, passphrase) {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const header = { derivation: BY_PASSPHRASE, iterations: ITERATIONS, salt: encodeBase64(salt) };
  return seal(content, header, await keyOfPassphrase(passphrase, header), MAX_FILE_CHARS);
}

/** @param {JsonValue} content @param {CryptoKey} key that seals nothing else @returns {Promise<string>} */
export function sealWithKey(content, key) {
  return seal(content, { derivation: BY_CODE, iterations: 0, salt: "" }, key, MAX_TRANSFER_CHARS);
}

/** @param {string} text @param {string} passphrase @returns {Promise<JsonValue>} @throws {BackupError} */
export async function openWithPassphrase(text, passphrase) {
  const envelope = readEnvelope(text, BY_PASSPHRASE);
  return open(
    envelope,
    await keyOfPassphrase(passphrase, envelope.key),
    t`The passphrase is wrong, or the file was changed.`,
  );
}

/** @param {string} text @param {CryptoKey} key @returns {Promise<JsonValue>} @throws {BackupError} */
export async function openWithKey(text, key) {
  return open(
    readEnvelope(text, BY_CODE),
    key,
    t`The code does not open what came through the bridge. Show a new code.`,
  );
}

/** @param {JsonValue} content @param {KeyHeader} header @param {CryptoKey} key @param {number} most characters */
async function seal(content, header, key, most) {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const unsealed = { format: FORMAT, version: VERSION, key: header, iv: encodeBase64(iv) };
  const packed = await pack(new TextEncoder().encode(stringifyJson(content)));
  const sealed = await crypto.subtle.encrypt(cipherOf(unsealed), key, packed);
  const text = JSON.stringify({ ...unsealed, content: encodeBase64(new Uint8Array(sealed)) });
  if (text.length > most) throw tooLarge(most);
  return text;
}

/** @param {Envelope} envelope @param {CryptoKey} key @param {string} refusal @returns {Promise<JsonValue>} */
async function open(envelope, key, refusal) {
  const packed = await crypto.subtle.decrypt(cipherOf(envelope), key, decodeBase64(envelope.content)).catch(() => {
    throw new BackupError("wrong_key", refusal);
  });
  return parseJson(new TextDecoder().decode(await unpack(packed)));
}

/** The header is authenticated in one writing, whatever the order and the spaces of the file. @param {Omit<Envelope, "content">} header */
function cipherOf({ format, version, key, iv }) {
  const additionalData = new TextEncoder().encode(
    JSON.stringify([format, version, key.derivation, key.iterations, key.salt, iv]),
  );
  return { name: "AES-GCM", iv: decodeBase64(iv), additionalData };
}

/** @param {string} passphrase @param {KeyHeader} header @returns {Promise<CryptoKey>} */
async function keyOfPassphrase(passphrase, { iterations, salt }) {
  const typed = new TextEncoder().encode(passphrase.normalize("NFC"));
  const material = await crypto.subtle.importKey("raw", typed, "PBKDF2", false, ["deriveKey"]);
  const how = { name: "PBKDF2", hash: "SHA-256", iterations, salt: decodeBase64(salt) };
  return crypto.subtle.deriveKey(how, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** @param {string} text @param {string} derivation that it must have @returns {Envelope} @throws {BackupError} */
function readEnvelope(text, derivation) {
  if (text.length > MAX_FILE_CHARS) throw tooLarge(MAX_FILE_CHARS);
  const found = parseEnvelope(text);
  if (found?.format !== FORMAT)
    throw new BackupError("not_a_backup", t`This is no backup of a browser made by this page.`);
  if (typeof found.version === "number" && found.version > VERSION)
    throw new BackupError(
      "newer_version",
      t`This backup was made by a newer version of the bridge. Update this one, then try again.`,
    );
  if (!isEnvelope(found) || found.version !== VERSION || found.key.derivation !== derivation || !isStrong(found.key))
    throw damaged();
  return found;
}

/** @param {string} text */
function parseEnvelope(text) {
  try {
    return JSON.parse(text);
  } catch {
    if (text.includes(FORMAT)) throw damaged();
    return null;
  }
}

/** @param {any} found @returns {found is Envelope} */
function isEnvelope(found) {
  const { key } = found;
  const texts = [key?.derivation, found.iv, found.content, key?.salt];
  return (
    texts.every((text) => typeof text === "string") &&
    [found.iv, found.content, key.salt].every(isBase64) &&
    Number.isInteger(key.iterations)
  );
}

/** @param {string} text */
const isBase64 = (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** Whether a key can be what this page makes: whoever changes a file must not choose a weak one. @param {KeyHeader} key */
function isStrong({ derivation, iterations, salt }) {
  if (derivation === BY_CODE) return true;
  return iterations >= ITERATIONS && iterations <= MOST_ITERATIONS && decodeBase64(salt).length >= SALT_BYTES;
}

const damaged = () => new BackupError("damaged", t`This backup is incomplete or damaged. Copy the file again, whole.`);

/** @param {number} most */
const tooLarge = (most) =>
  new BackupError("too_large", t`This is larger than ${formatSize(most)}. Choose less, or a file in place of a code.`);

/** @param {Bytes} bytes @returns {Promise<ArrayBuffer>} */
function pack(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

/** @param {ArrayBuffer} packed @returns {Promise<ArrayBuffer>} @throws {BackupError} */
async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  /** @type {Bytes[]} */
  const pieces = [];
  let bytes = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces).arrayBuffer();
    bytes += value.length;
    if (bytes > MAX_CONTENT_BYTES) throw tooLarge(MAX_CONTENT_BYTES);
    pieces.push(value);
  }
}
