// @ts-check
/** A filled form as an address: the arguments stand in its fragment, which no browser sends to any server. Pure. */
import { t } from "../base/language.js";
import { isSecretName } from "../executor/redaction.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/** Maximum characters of an address: chats and mail cut longer ones. */
const MAX_CHARS = 8000;

/**
 * What may be given to others: without values under secret names, and without the contents of files.
 * @param {JsonObject} args
 * @returns {{args: JsonObject, left: string[]}} left: the names of what was left out
 */
export function shareableArguments(args) {
  /** @type {string[]} */
  const left = [];
  return { args: /** @type {JsonObject} */ (withoutSecrets(args, left)), left };
}

/** @param {string} name may be empty */
const fileWords = (name) => (name === "" ? t`the file` : t`the file ${name}`);

/** @param {JsonValue} value @param {string[]} left @returns {JsonValue} */
function withoutSecrets(value, left) {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, left));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => {
    const isContent = name === "base64" && typeof member === "string";
    if (isContent || isSecretName(name)) left.push(isContent ? fileWords(String(value.filename ?? "")) : name);
    return !isContent && !isSecretName(name);
  });
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutSecrets(member, left)]));
}

/** @param {string} text */
function encodeText(text) {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * @param {string} page address of the bridge page, without a fragment
 * @param {string} tool
 * @param {JsonObject} args shareable ones
 * @returns {string | null} null: it would be too long
 */
export function linkTo(page, tool, args) {
  const link = `${page}${viewAddress("tools", tool)}?args=${encodeText(stringifyJson(args))}`;
  return link.length > MAX_CHARS ? null : link;
}

/** The arguments in an address; null where there are none, or they cannot be read. @param {string | null} encoded @returns {JsonObject | null} */
export function readLink(encoded) {
  if (!encoded) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    const value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
