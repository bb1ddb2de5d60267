// @ts-check
/** The tools of an MCP server as a document that the bridge compiles. The same tools always give the same text. Pure. */

import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/mcp_types.d.ts").McpConnection} McpConnection */

/**
 * @param {McpConnection} connection
 * @param {string} endpoint
 * @param {JsonValue[]} tools
 * @returns {string}
 */
export function writeToolList({ version, server, instructions }, endpoint, tools) {
  const { name, title, version: own } = server;
  const about = Object.fromEntries(
    Object.entries({ name: name ?? new URL(endpoint).host, title, version: own }).filter(
      ([, value]) => typeof value === "string",
    ),
  );
  const sorted = [...tools].sort((one, other) =>
    nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0,
  );
  const list = { mcp: version, endpoint, server: about, ...(instructions ? { instructions } : {}), tools: sorted };
  return stringifyJson(sortKeys(list));
}

/** @param {JsonValue} tool */
const nameOf = (tool) => (typeof tool === "object" && tool !== null && !Array.isArray(tool) ? String(tool.name) : "");

/** Names of arguments stay in the server's order, which models read. @param {JsonValue} value @returns {JsonValue} */
function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(
    keys.map((key) => [key, key === "properties" ? keepOrder(value[key]) : sortKeys(value[key])]),
  );
}

/** @param {JsonValue} value @returns {JsonValue} */
function keepOrder(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return sortKeys(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sortKeys(member)]));
}

/**
 * Whether a server still defines a tool as it was accepted.
 * @param {JsonValue} accepted
 * @param {JsonValue} listed
 */
export function isSameDefinition(accepted, listed) {
  return stringifyJson(sortKeys(accepted)) === stringifyJson(sortKeys(listed));
}
