// @ts-check
/**
 * Calls tools of MCP servers: remembers how each server is spoken to, sends one `tools/call`, and hands its result on as
 * the answer of an API. A call is sent once; again only where the server said that it did not take it.
 *
 * It is loaded with the first such call, as a file of its own, so the classes of failures are handed in.
 */

import { answerTo, argumentHeaders, cancelNotice, headersOf, objectOf, writeRequest } from "../mcp/messages.js";
import { connectServer, HttpRefusal, LIST_LIMITS, listTools, McpProblem, replyTo } from "../mcp/client.js";
import { ReplyTooLong } from "../mcp/reply_reader.js";
import { SESSION } from "../mcp/source.js";
import { isSameDefinition } from "../mcp/tool_list.js";
import { claimsOf } from "../mcp/tool_claims.js";
import { contentOfResult, failureOfResult } from "../mcp/tool_result.js";
import { parseJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").Pin} Pin */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/types.d.ts").JsonValue} JsonValue */
/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/mcp_types.d.ts").McpConnection} McpConnection */
/** @typedef {import("../types/mcp_types.d.ts").McpSend} McpSend */
/** @typedef {typeof import("./call_failure.js")} Failures */
/** @typedef {import("./call_failure.js").CallFailure} CallFailure */
/** @typedef {import("../types/mcp_types.d.ts").McpCall} McpCall */

/** What a file takes in base64, and something for the message around it. */
const CAP_FACTOR = 1.4;
const TOLD_MS = 5000;
const FRESH_MS = 60_000;
/** Maximum number of a server's own requests that are answered during one call. */
const MAX_ASKED = 20;
const ANSWERED = /** @type {const} */ ({ delivered: "unknown" });

export class McpCalls {
  /** By server and address. @type {Map<string, McpConnection>} */
  #known = new Map();
  /** What each server lists, and when it was asked. @type {Map<string, {tools: Map<string, JsonValue>, at: number}>} */
  #listed = new Map();

  /**
   * @param {{file_bytes: number, result_bytes: number}} limits
   * @param {Failures} failures
   * @param {(serverId: string) => void} sourceChanged  a server defines a tool in another way than its user accepted
   * @param {() => number} [now] monotonic milliseconds
   */
  constructor(limits, failures, sourceChanged, now = () => performance.now()) {
    this.limits = limits;
    this.failures = failures;
    this.sourceChanged = sourceChanged;
    this.now = now;
  }

  /** What the server says of the tool, in words. @param {import("../types/types.d.ts").RequestPlan} plan */
  readClaims(plan) {
    return claimsOf(plan);
  }

  /**
   * @param {import("./tool_runner.js").ToolRunner} runner
   * @param {Pick<McpCall, "request" | "signal" | "observe" | "traceparent"> & {sending: import("../types/runner_types.d.ts").Sending}} about
   * @returns {{openServer: () => Promise<Response | null>, callTool: () => Promise<Response>}} throw a `CallFailure`
   */
  prepareCall(runner, { sending, request, signal, observe, traceparent }) {
    const { pin } = sending;
    let last = request;
    /** @type {McpCall} */
    const call = {
      pin,
      request,
      signal,
      observe,
      traceparent,
      trySend: (one, until = signal) => runner.fetchAnswer(sending, (last = one), until),
      send: (one) => runner.sendRequest(sending, one, signal).catch((error) => Promise.reject(withAdvice(error))),
      explain: async (error) => withAdvice(await runner.explainError(sending, last, 0, signal, error)),
    };
    return { openServer: () => this.#openServer(call), callTool: () => this.#callTool(call) };
  }

  /**
   * Settles once the server can be called; it has not been called then.
   * @param {McpCall} call
   * @returns {Promise<Response | null>} null: it can; else its refusal
   * @throws {CallFailure} nothing was delivered
   */
  async #openServer(call) {
    try {
      const known = this.#known.get(keyOf(call));
      if (known && (await this.#isUsable(call, known))) return null;
      await this.#beginSession(call);
      return null;
    } catch (failure) {
      if (failure instanceof HttpRefusal) return failure.response;
      throw await this.#unsent(call, failure);
    }
  }

  /**
   * @param {McpCall} call
   * @returns {Promise<Response>} its result, or the server's refusal
   * @throws {CallFailure}
   */
  async #callTool(call) {
    const over = new AbortController();
    try {
      const first = this.#known.get(keyOf(call)) ?? (await this.#reconnect(call));
      const sent = await this.#sendCall(call, first, over.signal);
      const isGone = first.era === "legacy" && first.session !== null && sent.response.status === 404;
      if (!isGone) return await this.#answerOf(call, first, sent);
      const fresh = await this.#reconnect(call);
      return await this.#answerOf(call, fresh, await this.#sendCall(call, fresh, over.signal));
    } finally {
      over.abort();
    }
  }

  /** In the middle of a call that the server did not take. @param {McpCall} call */
  async #reconnect(call) {
    try {
      return await this.#connect(call);
    } catch (failure) {
      throw await this.#unsent(call, failure);
    }
  }

  /** @param {McpCall} call @throws {CallFailure | HttpRefusal | McpProblem} */
  async #beginSession(call) {
    const fresh = await this.#connect(call);
    const isHidden = fresh.era === "legacy" && fresh.session === null;
    const isUsable = !isHidden || (await this.#isUsable(call, fresh));
    if (!isUsable) throw new this.failures.CallFailure("cors", SESSION.message);
    if (!isHidden) await this.#checkDefinition(call, fresh);
  }

  /** False: the server has forgotten the session, or speaks otherwise by now. @param {McpCall} call @param {McpConnection} connection */
  async #isUsable(call, connection) {
    try {
      await this.#checkDefinition(call, connection);
      return true;
    } catch (failure) {
      if (failure instanceof McpProblem || failure instanceof HttpRefusal) return false;
      throw failure;
    }
  }

  /**
   * What is called must still be what was accepted. The server is asked once a minute at most, for it may well change
   * after that: a list is its word, and the texts that models read are those that were accepted in any case.
   * @param {McpCall} call @param {McpConnection} connection
   */
  async #checkDefinition(call, connection) {
    const { tool = {} } = call.pin.plan;
    const name = String(tool.name);
    const known = this.#listed.get(keyOf(call));
    const isFresh = known !== undefined && this.now() - known.at < FRESH_MS;
    if (isFresh && isSameDefinition(tool, known.tools.get(name) ?? null)) return;
    const listed = (await this.#listTools(call, connection)).get(name);
    if (listed !== undefined && isSameDefinition(tool, listed)) return;
    this.sourceChanged(call.pin.server_id);
    const what = listed === undefined ? "no longer has" : "has changed";
    const message = `The MCP server ${what} "${name}" since you accepted it. Review it on the bridge page.`;
    throw new this.failures.CallFailure("not_accepted", message);
  }

  /** @param {McpCall} call @param {McpConnection} connection */
  async #listTools(call, connection) {
    const all = await listTools(connection, sendWith(call, call.trySend), { ...LIST_LIMITS, signal: call.signal });
    const tools = new Map(all.map((each) => [String(objectOf(each).name), each]));
    this.#listed.set(keyOf(call), { tools, at: this.now() });
    return tools;
  }

  /** @param {McpCall} call */
  async #connect(call) {
    const connection = await connectServer(sendWith(call, call.trySend), { cap: this.#cap, signal: call.signal });
    this.#known.set(keyOf(call), connection);
    return connection;
  }

  /** @param {McpCall} call @param {McpConnection} connection @param {AbortSignal} over the call has ended */
  async #sendCall(call, connection, over) {
    const id = crypto.randomUUID();
    const cancel = () => tellServer(call, connection, cancelNotice(id), "notifications/cancelled");
    if (connection.era === "legacy") call.signal.addEventListener("abort", cancel, { once: true, signal: over });
    const { tool = {} } = call.pin.plan;
    const name = String(tool.name);
    const args = typeof call.request.body === "string" ? parseJson(call.request.body) : {};
    const more = connection.era === "modern" ? argumentHeaders(objectOf(tool.inputSchema), args) : [];
    /** @type {JsonObject} */
    const traced = call.traceparent === "" ? {} : { _meta: { traceparent: call.traceparent } };
    const body = writeRequest(connection, id, "tools/call", { name, arguments: args, ...traced });
    const headers = [...headersOf(connection, "tools/call", name), ...more];
    const send = (/** @type {BuiltRequest} */ request) => {
      call.observe(request);
      return call.send(request);
    };
    return { id, response: await sendWith(call, send)(body, headers) };
  }

  /** @param {McpCall} call @param {McpConnection} connection @param {{id: string, response: Response}} sent */
  async #answerOf(call, connection, { id, response }) {
    let asked = connection.era === "legacy" ? 0 : MAX_ASKED;
    const heard = (/** @type {JsonObject} */ message) => {
      if ("id" in message && "method" in message && asked++ < MAX_ASKED)
        tellServer(call, connection, answerTo(message), "");
    };
    try {
      const reply = await replyTo(response, id, { cap: this.#cap, heard });
      if (reply.error) throw this.#protocolFailure(call, reply.error);
      return this.#responseOf(reply.result);
    } catch (failure) {
      if (failure instanceof HttpRefusal) return this.#refused(call, failure);
      throw this.#failureOfReading(failure, call.signal, response.status);
    }
  }

  /** A server that refuses may be spoken to in another way by now. @param {McpCall} call @param {HttpRefusal} refusal */
  #refused(call, { response }) {
    this.#known.delete(keyOf(call));
    return response;
  }

  /** @param {McpCall} call @param {import("../types/mcp_types.d.ts").McpRpcError} error */
  #protocolFailure(call, { code, message }) {
    this.#known.delete(keyOf(call));
    return new this.failures.CallFailure("tool_failed", `The MCP server refused the call (error ${code}): ${message}`, {
      ...ANSWERED,
      detail: { rpc_code: code },
    });
  }

  /** @param {McpCall} call @param {unknown} failure before the call was sent */
  async #unsent(call, failure) {
    if ([McpProblem, HttpRefusal, ReplyTooLong].some((kind) => failure instanceof kind))
      return new this.failures.CallFailure("tool_failed", /** @type {Error} */ (failure).message);
    const explained = await call.explain(failure);
    explained.delivered = "no";
    return explained;
  }

  /** @param {JsonObject} result @returns {Response} @throws {CallFailure} */
  #responseOf(result) {
    const reason = failureOfResult(result);
    if (reason !== null) throw new this.failures.CallFailure("tool_failed", reason, ANSWERED);
    const content = contentOfResult(result);
    return content === null
      ? new Response(null, { status: 204 })
      : new Response(content.content, { headers: { "content-type": content.contentType } });
  }

  /** @param {unknown} failure @param {AbortSignal} signal @param {number} status */
  #failureOfReading(failure, signal, status) {
    const { CallFailure, brokenOff, stoppedUnderWay, tooLarge } = this.failures;
    if (failure instanceof CallFailure) return failure;
    if (signal.aborted) return stoppedUnderWay(signal);
    if (failure instanceof ReplyTooLong) return tooLarge(failure.bytes, null, status);
    return brokenOff(status, failure);
  }

  get #cap() {
    return Math.round(Math.max(this.limits.file_bytes, this.limits.result_bytes) * CAP_FACTOR);
  }
}

const ADVICE =
  "An MCP server must also allow the headers mcp-protocol-version, mcp-method, mcp-name and mcp-session-id: Doctor on the bridge page shows the lines.";

/** @template {Error & {code: string, detail: Record<string, unknown>}} T @param {T} failure @returns {T} */
function withAdvice(failure) {
  if (failure.code === "cors" && failure.detail.likely_cause !== "error_answer")
    failure.message = `${failure.message} ${ADVICE}`;
  return failure;
}

/** @param {McpCall} call */
const keyOf = ({ pin, request }) => `${pin.server_id} ${request.url}`;

/** @param {McpCall} call @param {McpCall["send"]} send @returns {McpSend} */
function sendWith({ request }, send) {
  return (body, headers) => {
    const own = new Set(headers.map(([name]) => name));
    return send({ ...request, body, headers: [...headers, ...request.headers.filter(([name]) => !own.has(name))] });
  };
}

/** Says something beside the call, whether or not the call goes on. @param {McpCall} call @param {McpConnection} connection @param {string} text @param {string} method */
function tellServer(call, connection, text, method) {
  const send = (/** @type {BuiltRequest} */ request) => call.trySend(request, AbortSignal.timeout(TOLD_MS));
  void sendWith(call, send)(text, headersOf(connection, method)).catch(() => undefined);
}
