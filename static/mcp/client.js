// @ts-check
/**
 * A client for one MCP server: finds out how to speak to it, lists its tools, calls one. What is sent goes through the
 * `send` it is given; it stores nothing and knows neither secrets nor plans. A call is sent at most once, unless the
 * server says that it knows no such session, which is: not processed.
 */

import {
  FIRST_TRY,
  headersOf,
  INITIALIZE,
  MODERN,
  readDiscovery,
  readInitialization,
  writeNotification,
  writeRequest,
} from "./messages.js";
import { readReply } from "./reply_reader.js";

/** @typedef {import("../types/mcp_types.d.ts").McpConnection} McpConnection */
/** @typedef {import("../types/mcp_types.d.ts").McpReply} McpReply */
/** @typedef {import("../types/mcp_types.d.ts").McpSend} McpSend */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {{cap: number, signal?: AbortSignal, heard?: (message: JsonObject) => void}} ReadOptions */

const UNSUPPORTED_VERSION = -32022;
const MAX_PAGES = 200;

/** As many as the bridge takes of operations; and a fraction of what it takes of a document. `cap`: bytes of one page. */
export const LIST_LIMITS = { maxTools: 20_000, maxChars: 16 * 1024 * 1024, cap: 32 * 1024 * 1024 };

/** The server speaks no version of ours, or not this protocol at all. */
export class McpProblem extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "McpProblem";
  }
}

/** An answer that is no message of the protocol; its status says more than its body. */
export class HttpRefusal extends Error {
  /** @param {Response} response not read yet */
  constructor(response) {
    super(`The server answered with HTTP status ${response.status}.`);
    this.name = "HttpRefusal";
    this.response = response;
  }
}

/**
 * @param {McpSend} send
 * @param {ReadOptions} options
 * @returns {Promise<McpConnection>}
 * @throws {McpProblem | HttpRefusal | TypeError} and whatever `send` throws
 */
export async function connectServer(send, options) {
  const tried = await tryDiscovery(send, options);
  return tried ?? initializeSession(send, options);
}

/** @param {McpSend} send @param {ReadOptions} options @returns {Promise<McpConnection | null>} null: try the older way */
async function tryDiscovery(send, options) {
  let reply;
  try {
    reply = await exchangeMessage(FIRST_TRY, { method: "server/discover", params: {} }, send, options);
  } catch (failure) {
    // An older server may refuse the preflight of headers it has never heard of, which looks like no server at all.
    if (failure instanceof TypeError || (failure instanceof HttpRefusal && !isLogin(failure.response))) return null;
    throw failure;
  }
  if (reply.result) return readDiscovery(reply.result);
  const { code, data } = reply.error;
  const supported = Array.isArray(data.supported) ? data.supported : [];
  if (code === UNSUPPORTED_VERSION && supported.every((version) => String(version) > MODERN))
    throw new McpProblem(
      `The MCP server speaks only ${supported.join(", ") || "other versions"}; this page speaks ${MODERN} and older.`,
    );
  return null;
}

const REASON_CHARS = 500;

/** @param {import("../types/mcp_types.d.ts").McpRpcError} error */
const reasonOf = ({ message, code }) => (message || `error ${code}`).slice(0, REASON_CHARS);

/** @param {Response} response */
const isLogin = ({ status }) => status === 401 || status === 403;

/** @param {McpSend} send @param {ReadOptions} options @returns {Promise<McpConnection>} */
async function initializeSession(send, options) {
  const id = crypto.randomUUID();
  const legacy = { ...FIRST_TRY, era: /** @type {const} */ ("legacy") };
  const response = await send(
    writeRequest(legacy, id, "initialize", INITIALIZE),
    headersOf(null, "initialize"),
    options.signal,
  );
  const reply = await replyTo(response, id, options);
  if (reply.error) throw new McpProblem(`The MCP server refused to begin: ${reasonOf(reply.error)}`);
  const connection = readInitialization(reply.result, response.headers.get("mcp-session-id"));
  const method = "notifications/initialized";
  await send(writeNotification(method), headersOf(connection, method), options.signal);
  return connection;
}

/**
 * @param {McpConnection} connection
 * @param {{method: string, params: JsonObject}} request
 * @param {McpSend} send
 * @param {ReadOptions} options
 * @returns {Promise<McpReply>}
 * @throws {HttpRefusal | McpProblem | TypeError}
 */
async function exchangeMessage(connection, { method, params }, send, options) {
  const id = crypto.randomUUID();
  const response = await send(
    writeRequest(connection, id, method, params),
    headersOf(connection, method),
    options.signal,
  );
  return replyTo(response, id, options);
}

/**
 * Errors of the protocol come with any status, so a message in the body counts more than the status.
 * @param {Response} response
 * @param {string} id of the request
 * @param {ReadOptions} options
 * @returns {Promise<McpReply>}
 * @throws {HttpRefusal | McpProblem | import("./reply_reader.js").ReplyTooLong | TypeError}
 */
export async function replyTo(response, id, options) {
  const spare = response.ok ? null : response.clone();
  const reply = await readReply(response, id, options);
  if (reply) return reply;
  if (spare) throw new HttpRefusal(spare);
  throw new McpProblem("The answer is not a message of the Model Context Protocol.");
}

/**
 * All pages of the list of tools, in the server's order.
 * @param {McpConnection} connection
 * @param {McpSend} send
 * @param {ReadOptions & {maxTools: number, maxChars: number}} options
 * @returns {Promise<import("../types/types.d.ts").JsonValue[]>} as the server gave them
 * @throws {McpProblem | HttpRefusal | TypeError}
 */
export async function listTools(connection, send, { maxTools, maxChars, ...options }) {
  /** @type {import("../types/types.d.ts").JsonValue[]} */
  const tools = [];
  /** @type {JsonObject} */
  let params = {};
  let chars = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { result, error } = await exchangeMessage(connection, { method: "tools/list", params }, send, options);
    if (error) throw new McpProblem(`The MCP server refused to list its tools: ${reasonOf(error)}`);
    if (!Array.isArray(result.tools)) throw new McpProblem("The MCP server's list of tools has no tools in it.");
    tools.push(...result.tools);
    chars += JSON.stringify(result.tools, (_key, value) => (typeof value === "bigint" ? String(value) : value)).length;
    if (tools.length > maxTools || chars > maxChars)
      throw new McpProblem(
        `The MCP server's list of tools is too long: the limit is ${maxTools} tools, ${maxChars} characters.`,
      );
    if (typeof result.nextCursor !== "string" || result.nextCursor === params.cursor) return tools;
    params = { cursor: result.nextCursor };
  }
  throw new McpProblem(`The MCP server's list of tools has more than ${MAX_PAGES} pages.`);
}
