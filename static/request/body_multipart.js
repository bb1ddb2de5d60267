// @ts-check
/** multipart bodies as bytes (RFC 7578, RFC 2046), names escaped as browsers do. Pure. */

import { fieldText, hasStyle, itemsOf } from "./body_form.js";
import { readFile } from "./body_file.js";
import { typeByName, UNKNOWN_TYPE } from "./file_types.js";
import { inCharset } from "./body_text.js";
import { stylePairs } from "./parameter_style.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").BodyField} BodyField */
/** @typedef {{name: string, filename?: string, type?: string, headers?: [string, string][], content: Uint8Array | string}} Part */

/** What a part without a type is (RFC 7578 §4.4). */
const TEXT = "text/plain";

/** As HTML's multipart/form-data encoding writes names. @param {string} name */
const quoteName = (name) => `"${name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22")}"`;

/** So random that no content holds it by chance. */
export function freshBoundary() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `----tool-bridge-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * @param {BodyField[]} fields
 * @param {string} contentType multipart/form-data; parts of any other kind carry no name
 * @param {string} boundary
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {import("./request_error.js").RequestError}
 */
export function writeMultipart(fields, contentType, boundary) {
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(contentType);
  /** @type {(Uint8Array | string)[]} */
  const pieces = fields.flatMap(partsOf).flatMap((part) => [headOf(part, isForm, boundary), part.content, "\r\n"]);
  return concatenate([...pieces, `--${boundary}--\r\n`]);
}

/**
 * @param {BodyField} field
 * @returns {Part[]}
 */
function partsOf({ name, value, rule, argument }) {
  const { headers, content_type } = rule;
  if (value === null) return [];
  if (rule.file) return itemsOf(value).map((item) => filePart(name, item, rule, argument));
  if (hasStyle(rule))
    return stylePairs(value, { ...rule, name }).map(([key, content]) => ({ name: key, headers, content }));
  return itemsOf(value).map((item) => {
    const type = content_type ?? (typeof item === "object" && item !== null ? "application/json" : undefined);
    return { name, type, headers, content: inCharset(fieldText(item, content_type), type ?? TEXT, argument) };
  });
}

/**
 * @param {string} name
 * @param {JsonValue} item
 * @param {import("../types/types.d.ts").PlanField} rule
 * @param {string} argument
 * @returns {Part}
 */
function filePart(name, item, { content_type = "*/*", content_types = [content_type], headers }, argument) {
  const { bytes, filename, contentType } = readFile(item, argument);
  const planned = content_type.includes("*") ? UNKNOWN_TYPE : content_type;
  const type = contentType ?? typeByName(filename, content_types) ?? planned;
  // Without a file name, servers take a part for a text field; "blob" is what browsers write.
  return { name, filename: filename ?? "blob", type, headers, content: bytes };
}

/**
 * @param {Part} part
 * @param {boolean} isForm
 * @param {string} boundary
 */
function headOf({ name, filename, type, headers = [] }, isForm, boundary) {
  const file = filename === undefined ? "" : `; filename=${quoteName(filename)}`;
  const disposition = isForm ? `form-data; name=${quoteName(name)}${file}` : file && `attachment${file}`;
  const lines = disposition ? [`Content-Disposition: ${disposition}`] : [];
  if (type !== undefined && (type !== TEXT || file)) lines.push(`Content-Type: ${type}`);
  lines.push(...headers.map(([header, text]) => `${header}: ${text}`));
  return [`--${boundary}`, ...lines, "", ""].join("\r\n");
}

/** @param {(Uint8Array | string)[]} pieces */
function concatenate(pieces) {
  const encoded = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const whole = new Uint8Array(encoded.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const piece of encoded) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}
