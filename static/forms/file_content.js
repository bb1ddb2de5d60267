// @ts-check
/** Files as arguments of a form: which types, how large, and the bytes as Base64. No DOM. */
import { t } from "../base/language.js";
import { formatSize } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */

/** Maximum bytes of all arguments of a call together, as JSON (`ARGUMENT_BYTES` of the bridge). */
export const MAX_ARGUMENT_BYTES = 1024 * 1024;

/** Maximum bytes of one file: Base64 takes four bytes for three, and 4 KiB are left for the other arguments. */
export const MAX_FILE_BYTES = Math.floor(((MAX_ARGUMENT_BYTES - 4096) / 4) * 3);

/** The media types that the document names for a file, for the dialog; "" for any. @param {JsonSchema} schema */
export function acceptedTypes({ description }) {
  return (
    /Accepts ([\w.+*-]+\/[\w.+*-]+(?:, ?[\w.+*-]+\/[\w.+*-]+)*)\.(?: |$)/.exec(String(description ?? ""))?.[1] ?? ""
  );
}

/** Why a file cannot be an argument; "" if it can. @param {{name: string, size: number}} file */
export function fileProblem({ name, size }) {
  if (size <= MAX_FILE_BYTES) return "";
  return t`${name} has ${formatSize(size)}. A call takes files of at most ${formatSize(MAX_FILE_BYTES)}; give the address of a larger one.`;
}

/** Why arguments cannot be sent; "" if they can. @param {string} text the arguments as JSON */
export function sizeProblem(text) {
  if (text.length * 3 <= MAX_ARGUMENT_BYTES) return "";
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes <= MAX_ARGUMENT_BYTES) return "";
  return t`The arguments have ${formatSize(bytes)}; a call takes at most ${formatSize(MAX_ARGUMENT_BYTES)}. Choose smaller files, or give their addresses.`;
}

/** Bytes that a text in Base64 stands for. @param {string} text */
export function decodedSize(text) {
  return Math.floor((text.replace(/[\s=]+/g, "").length * 3) / 4);
}

/** @param {Blob} file @returns {Promise<string>} */
export async function readBase64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
