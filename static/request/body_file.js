// @ts-check
/** File arguments: `{"base64" | "text" | "bytes", "filename"?, "content_type"?}` to bytes, name and type. Pure. */

import { RequestError } from "./request_error.js";

/** @typedef {Record<string, unknown>} FileArgument what a caller may hand over; judged here */
/** @typedef {import("../types/types.d.ts").ReadFile} ReadFile */

/** A type with its parameters; no range, since nothing may be sent as "image/*". */
const MEDIA_TYPE = /^[!#$%&'+.^_`|~\w-]+\/[!#$%&'+.^_`|~\w-]+(?:[ \t]*;[\x20-\x7E]*)?$/;
/** @param {string} text */
export const isMediaType = (text) => MEDIA_TYPE.test(text);
const DATA_URL = /^data:([^,]*?)(;base64)?,([^]*)$/i;

/**
 * A plain string is a `data:` URL or the file's own text.
 * @param {unknown} value
 * @param {string} argument whose fault it is
 * @returns {ReadFile}
 * @throws {RequestError} invalid_arguments; unsendable for a URL that nobody has fetched before
 */
export function readFile(value, argument) {
  if (typeof value === "string")
    return DATA_URL.test(value) ? fromInlineUrl(value, argument) : describeFile({ text: value }, argument);
  if (value instanceof Uint8Array) return describeFile({ bytes: value }, argument);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidFile(argument, 'must be a file: {"base64": …}, {"text": …} or {"url": …}');
  return describeFile(/** @type {FileArgument} */ (value), argument);
}

/** @param {string} argument @param {string} problem */
const invalidFile = (argument, problem) => new RequestError("invalid_arguments", `"${argument}" ${problem}.`, argument);

/**
 * @param {FileArgument} file
 * @param {string} argument
 * @returns {ReadFile}
 */
function describeFile(file, argument) {
  const given = ["base64", "text", "bytes", "url"].filter((key) => file[key] !== undefined && file[key] !== null);
  if (given.length !== 1) throw invalidFile(argument, 'must hold exactly one of "base64", "text" and "url"');
  const { content_type, filename } = file;
  const type = typeof content_type === "string" && content_type ? content_type : null;
  if (type !== null && !isMediaType(type)) throw invalidFile(argument, "has a content_type that is not a media type");
  const name = typeof filename === "string" && filename ? filename : null;
  const { bytes, filename: ownName, contentType } = contentOf(given[0], file[given[0]], argument);
  return { bytes, filename: name ?? ownName, contentType: type ?? contentType };
}

/**
 * @param {string} kind
 * @param {unknown} content
 * @param {string} argument
 * @returns {ReadFile}
 */
function contentOf(kind, content, argument) {
  if (kind === "bytes" && content instanceof Uint8Array)
    return { bytes: /** @type {Uint8Array<ArrayBuffer>} */ (content), filename: null, contentType: null };
  if (typeof content !== "string") throw invalidFile(argument, `needs a string as "${kind}"`);
  if (kind === "text") return { bytes: new TextEncoder().encode(content), filename: null, contentType: null };
  if (kind === "base64") return { bytes: fromBase64(content, argument), filename: null, contentType: null };
  if (DATA_URL.test(content)) return fromInlineUrl(content, argument);
  throw new RequestError("unsendable", `The file at the URL in "${argument}" has not been read.`, argument);
}

/**
 * @param {string} url
 * @param {string} argument
 * @returns {ReadFile}
 */
function fromInlineUrl(url, argument) {
  const [, head, isBase64, data] = /** @type {RegExpExecArray} */ (DATA_URL.exec(url));
  const [type, ...parameters] = head.split(";");
  const named = parameters.find((parameter) => /^(file)?name=/i.test(parameter));
  const text = percentDecoded(data, argument);
  return {
    bytes: isBase64 ? fromBase64(text, argument) : new TextEncoder().encode(text),
    filename: named ? percentDecoded(named.slice(named.indexOf("=") + 1), argument) : null,
    contentType: isMediaType(type) ? type : null,
  };
}

/** @param {string} text @param {string} argument */
function percentDecoded(text, argument) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidFile(argument, "holds a data: URL with broken percent-encoding");
  }
}

/**
 * Takes the standard and the URL-safe alphabet, with or without padding and line breaks.
 * @param {string} text
 * @param {string} argument
 */
function fromBase64(text, argument) {
  const plain = text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  let binary;
  try {
    binary = atob(plain);
  } catch {
    throw invalidFile(argument, "holds Base64 that cannot be read");
  }
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
