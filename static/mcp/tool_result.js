// @ts-check
/** What a tool gave, in the form of an HTTP answer: the same shapes as for operations of an API. Pure. */

import { parseJson, stringifyJson } from "../base/json_text.js";
import { objectOf } from "./messages.js";

/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/mcp_types.d.ts").McpContent} McpContent */

const JSON_TYPE = "application/json";
/** More of what a failed tool says is not passed on. */
const REASON_CHARS = 2000;

/**
 * Why a result is a failure, as a sentence; null: it is none.
 * @param {JsonObject} result
 * @returns {string | null}
 */
export function failureOfResult(result) {
  if (result.resultType === "input_required")
    return "The tool asks for more input before it goes on (elicitation), which the bridge does not pass on. Give it what it needs as arguments.";
  if (typeof result.resultType === "string" && result.resultType !== "complete")
    return `The tool answered with a "${result.resultType}", which this page does not understand.`;
  if (result.isError !== true) return null;
  const reason = textsOf(partsOf(result)).join("\n").slice(0, REASON_CHARS);
  return reason ? `The tool failed: ${reason}` : "The tool failed without saying why.";
}

/** @param {JsonObject} result @returns {McpContent | null} null: nothing at all */
export function contentOfResult(result) {
  if (result.structuredContent !== undefined)
    return { contentType: JSON_TYPE, content: stringifyJson(result.structuredContent) };
  const parts = partsOf(result);
  if (parts.length === 0) return null;
  const texts = textsOf(parts);
  if (texts.length === parts.length) return textContent(texts.join("\n"));
  const only = parts.length === 1 ? fileContent(parts[0]) : null;
  return only ?? { contentType: JSON_TYPE, content: stringifyJson({ content: parts }) };
}

/** @param {JsonObject} result @returns {JsonObject[]} */
const partsOf = ({ content }) => (Array.isArray(content) ? content.map(objectOf) : []);

/** @param {JsonObject[]} parts @returns {string[]} */
const textsOf = (parts) =>
  parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));

/** @param {string} text @returns {McpContent} */
function textContent(text) {
  return { contentType: isJsonContainer(text) ? JSON_TYPE : "text/plain; charset=utf-8", content: text };
}

/** @param {string} text */
function isJsonContainer(text) {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** An image, sound or embedded file. @param {JsonObject} part @returns {McpContent | null} */
function fileContent(part) {
  const holder = part.type === "resource" ? objectOf(part.resource) : part;
  const data = part.type === "resource" ? holder.blob : holder.data;
  const mime = String(holder.mimeType ?? "");
  if (typeof data !== "string" || !/^[a-z]+\/[a-z0-9.+-]+$/i.test(mime)) return null;
  try {
    return { contentType: mime, content: Uint8Array.from(atob(data), (character) => character.charCodeAt(0)) };
  } catch {
    return null;
  }
}
