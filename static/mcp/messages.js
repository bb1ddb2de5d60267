// @ts-check
/**
 * Messages of the Model Context Protocol over Streamable HTTP, in both of its eras. Pure: texts and values only.
 *
 * Modern (2026-07-28): every request stands alone and says in `_meta` and headers what it is. Legacy (2025-11-25 and
 * before): `initialize` first, and a session by header.
 */

import { parseJson, stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/mcp_types.d.ts").McpConnection} McpConnection */
/** @typedef {import("../types/mcp_types.d.ts").McpReply} McpReply */

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
/** Servers before it may refuse the header. */
const FIRST_WITH_VERSION = "2025-06-18";
const CLIENT = { name: "direct-tool-bridge", version: "1" };
const META = "io.modelcontextprotocol";
const SERVER_INFO = `${META}/serverInfo`;

/** Before anything is known of a server. @type {McpConnection} */
export const FIRST_TRY = { era: "modern", version: MODERN, session: null, server: {}, instructions: "" };

/** @param {McpConnection} connection @param {string} id @param {string} method @param {JsonObject} params @returns {string} */
export function writeRequest({ era, version }, id, method, params) {
  const about = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientCapabilities`]: {},
    [`${META}/clientInfo`]: CLIENT,
  };
  const _meta = { .../** @type {JsonObject} */ (params._meta), ...(era === "modern" ? about : {}) };
  const told = Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
  return stringifyJson({ jsonrpc: "2.0", id, method, params: /** @type {JsonObject} */ (told) });
}

/** @param {string} method @param {JsonObject} [params] @returns {string} */
export function writeNotification(method, params) {
  return stringifyJson({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
}

/** @type {JsonObject} */
export const INITIALIZE = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };

/**
 * The headers of a message beside credentials, in lower case.
 * @param {McpConnection | null} connection null: it is an `initialize`
 * @param {string} method
 * @param {string} [name] of the tool that is called
 * @returns {[string, string][]}
 */
export function headersOf(connection, method, name) {
  /** @type {[string, string][]} */
  const headers = [
    ["accept", "application/json, text/event-stream"],
    ["content-type", "application/json"],
  ];
  if (connection === null) return headers;
  if (connection.version >= FIRST_WITH_VERSION) headers.push(["mcp-protocol-version", connection.version]);
  if (connection.era === "modern") headers.push(["mcp-method", method]);
  if (connection.era === "modern" && name !== undefined) headers.push(["mcp-name", encodeHeader(name)]);
  if (connection.session !== null) headers.push(["mcp-session-id", connection.session]);
  return headers;
}

/**
 * Arguments that the server's schema wants in headers, too.
 * @param {JsonObject} schema
 * @param {JsonValue} args
 * @returns {[string, string][]}
 */
export function argumentHeaders(schema, args) {
  return Object.entries(objectOf(schema.properties)).flatMap(([name, property]) => {
    const value = objectOf(args)[name];
    const header = objectOf(property)["x-mcp-header"];
    const isValue = ["string", "boolean", "number", "bigint"].includes(typeof value);
    const isHeader = typeof header === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header);
    /** @type {[string, string][]} */
    const own = isValue && isHeader ? [[`mcp-param-${header.toLowerCase()}`, encodeHeader(String(value))]] : [];
    return [...own, ...argumentHeaders(objectOf(property), value ?? null)];
  });
}

/** A text that would not survive as a header's value is written in base64. @param {string} text */
export function encodeHeader(text) {
  const isPlain = /^[\x20-\x7E]*$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return `=?base64?${btoa(bytes)}?=`;
}

/**
 * @param {string} text one message, or an array of them (2025-03-26)
 * @returns {JsonObject[]} empty: it is none
 */
export function readMessages(text) {
  try {
    const value = parseJson(text);
    const all = Array.isArray(value) ? value : [value];
    return /** @type {JsonObject[]} */ (
      all.filter((each) => typeof each === "object" && each !== null && !Array.isArray(each))
    );
  } catch {
    return [];
  }
}

/**
 * @param {JsonObject} message
 * @param {string} id of the request
 * @returns {McpReply | null} null: it is something else
 */
export function replyOf(message, id) {
  const isError = typeof message.error === "object" && message.error !== null;
  if ("method" in message || !(message.id === id || (isError && message.id == null))) return null;
  if (isError) return { error: readError(/** @type {JsonObject} */ (message.error)) };
  return { result: objectOf(message.result) };
}

/** @param {JsonObject} error */
function readError({ code, message, data }) {
  return { code: Number(code) || 0, message: typeof message === "string" ? message : "", data: objectOf(data) };
}

/** @param {JsonValue | undefined} value @returns {JsonObject} an empty one for anything else */
export function objectOf(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** The connection that an answered `server/discover` stands for; null: no version in common. @param {JsonObject} result @returns {McpConnection | null} */
export function readDiscovery(result) {
  const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
  if (!versions.includes(MODERN)) return null;
  return {
    era: "modern",
    version: MODERN,
    session: null,
    server: objectOf(objectOf(result._meta)[SERVER_INFO]),
    instructions: textOf(result.instructions),
  };
}

/** @param {JsonObject} result of `initialize` @param {string | null} session @returns {McpConnection} */
export function readInitialization(result, session) {
  const version = textOf(result.protocolVersion) || LEGACY;
  return {
    era: "legacy",
    version,
    session,
    server: objectOf(result.serverInfo),
    instructions: textOf(result.instructions),
  };
}

/** @param {JsonValue | undefined} value */
const textOf = (value) => (typeof value === "string" ? value : "");

/** @param {string} id of the call that was stopped */
export const cancelNotice = (id) =>
  writeNotification("notifications/cancelled", { requestId: id, reason: "The call was stopped." });

/** What a server asks in the middle of a call; a page can do nothing for it but be there. @param {JsonObject} message */
export function answerTo({ id, method }) {
  const error = { code: -32601, message: "This client has no such method." };
  return stringifyJson({ jsonrpc: "2.0", id, ...(method === "ping" ? { result: {} } : { error }) });
}
