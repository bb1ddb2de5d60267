// @ts-check
/** The tools of the MCP server at an address, or why a page cannot have them. What is sent goes through the given `send`. */

import { said } from "../base/said.js";
import { connectServer, HttpRefusal, LIST_LIMITS, listTools, McpProblem } from "./client.js";
import { ReplyTooLong } from "./reply_reader.js";
import { writeToolList } from "./tool_list.js";

/** @typedef {import("../types/mcp_types.d.ts").McpConnection} McpConnection */
/** @typedef {import("../types/mcp_types.d.ts").McpSend} McpSend */
/** @typedef {import("../base/said.js").Said & {code: string}} SourceProblem `code`: mcp_login, mcp_preflight, mcp_session or mcp */

const PREFLIGHT = {
  code: "mcp_preflight",
  ...said(
    "mcp_preflight",
    "There seems to be an MCP server at this address, but it refuses requests from this page: the browser asks first (a CORS preflight), and the server says no (often 405, it knows no CORS; or 403, it does not allow this page's origin).",
  ),
};
export const SESSION = {
  code: "mcp_session",
  ...said(
    "mcp_session",
    "The MCP server began a session, but does not let this page read its header Mcp-Session-Id, so nothing more can be asked.",
  ),
};
const LOGIN = { code: "mcp_login", ...said("mcp_login", "The MCP server asks for a login.") };

/**
 * @param {string} url
 * @param {McpSend} send
 * @param {boolean} didAnswer whether the address let the page read an answer before
 * @returns {Promise<{text: string, source_url: string} | SourceProblem | null>} null: there is none, as far as can be seen
 */
export async function readTools(url, send, didAnswer) {
  /** @type {McpConnection | null} */
  let connection = null;
  try {
    connection = await connectServer(send, { cap: LIST_LIMITS.cap });
    const tools = await listTools(connection, send, LIST_LIMITS);
    return { text: writeToolList(connection, url, tools), source_url: url };
  } catch (failure) {
    return problemOf(failure, { connection, isLikely: looksLikeMcp(url), didAnswer });
  }
}

/**
 * What is to be said of an address that cannot be read, when it looks like an MCP server's.
 * @param {SourceProblem} problem by the diagnosis
 * @param {string} url
 * @returns {SourceProblem}
 */
export function adaptProblem(problem, url) {
  return problem.code === "cors" && looksLikeMcp(url) ? PREFLIGHT : problem;
}

/** @param {string} url */
export const looksLikeMcp = (url) => /\b_?mcp_?\b/i.test(new URL(url).href);

/**
 * @param {unknown} failure
 * @param {{connection: McpConnection | null, isLikely: boolean, didAnswer: boolean}} known
 * @returns {SourceProblem | null}
 */
function problemOf(failure, { connection, isLikely, didAnswer }) {
  if (connection?.era === "legacy" && connection.session === null && isRefusal(failure)) return SESSION;
  const isKnown = connection !== null || isLikely;
  if (failure instanceof HttpRefusal) return wantsLogin(failure.response, isKnown) ? LOGIN : null;
  if (failure instanceof McpProblem || failure instanceof ReplyTooLong)
    return isKnown ? { code: "mcp", message: failure.message } : null;
  if (failure instanceof TypeError) return didAnswer && isKnown ? PREFLIGHT : null;
  throw failure;
}

/** One that says where its login is (RFC 9728 §5.1) needs no address that looks like an MCP server's. @param {Response} response @param {boolean} isKnown */
const wantsLogin = ({ status, headers }, isKnown) =>
  (status === 401 || status === 403) &&
  (isKnown || /\bresource_metadata=/i.test(headers.get("www-authenticate") ?? ""));

/** @param {unknown} failure */
const isRefusal = (failure) =>
  failure instanceof McpProblem || (failure instanceof HttpRefusal && [400, 404].includes(failure.response.status));
