// @ts-check
/** What takes long with a large document: parsing it, writing it as JSON, telling what it is. Runs in the page's document worker. Pure. */
import { parseJson, stringifyJson } from "../base/json_text.js";
import { convertText, isToolList } from "../conversion/recognition.js";
import { documentsAmong } from "./document_choice.js";
import { looksLikeDocument } from "./document_places.js";

/** @typedef {import("../types/document_types.js").Recognised} Recognised */

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** @param {string} text @returns {Recognised} @throws {import("../conversion/request_parts.js").ConversionError} it is of a kind that cannot be used */
export function recogniseText(text) {
  const converted = convertText(text);
  const isUsable = converted !== null || looksLikeDocument(text) || isToolList(text);
  return { isUsable, converted, operations: countOperations(converted?.text ?? text) };
}

/** @param {string} text @returns {number | null} null: it is not JSON, and parsing YAML would take as long as reading it */
function countOperations(text) {
  if (!/^\uFEFF?\s*\{/.test(text)) return null;
  try {
    const paths = Object.values(JSON.parse(text.replace(/^\uFEFF/, "")).paths ?? {});
    return paths.flatMap((item) => Object.keys(item ?? {}).filter((key) => METHODS.includes(key))).length || null;
  } catch {
    return null;
  }
}

/** By name, as the page asks for it. */
export const WORKS = {
  recognise: recogniseText,
  /** @param {import("./document_files.js").DocumentFile[]} files @returns {number[]} places of those that may be the document */
  chooseAmong: (files) => documentsAmong(files).map((file) => files.indexOf(file)),
  /** @param {import("../types/types.d.ts").JsonValue} body */
  write: (body) => new Blob([stringifyJson(body)]),
  /** @param {ArrayBuffer} content */
  read: (content) => parseJson(new TextDecoder().decode(content)),
};
