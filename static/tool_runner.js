// @ts-check
/**
 * One tool call to its outcome: pinned plan, arguments, request, fetch, capped answer, redaction, upload.
 *
 * Everything it touches is injected. `run` never throws: whatever happens is an outcome. It calls `fetch` for the
 * request at most once; sending a call again is the bridge's decision. Files that arguments name by URL are read before.
 */

import { essence, readAnswer } from "./answer_reader.js";
import { forbiddenTarget } from "./address_space.js";
import { buildRequest } from "./request.js";
import { withFiles } from "./file_urls.js";
import { fetchInit, needsPreflight } from "./fetch_init.js";
import {
  brokenOff,
  CallFailure,
  failureOf,
  messageOf,
  redirectRefused,
  stoppedUnderWay,
  tooLarge,
  uploadFailed,
} from "./call_failure.js";
import { placeSecrets, secretTexts } from "./security.js";
import { overwriteSecrets, redactFacts, redactor } from "./redaction.js";
import { parseJson } from "./json_text.js";

/** @typedef {import("./types.d.ts").ToolCall} ToolCall */
/** @typedef {import("./types.d.ts").Outcome} Outcome */
/** @typedef {import("./types.d.ts").Failed} Failed */
/** @typedef {import("./types.d.ts").Delivered} Delivered */
/** @typedef {import("./types.d.ts").Pin} Pin */
/** @typedef {import("./types.d.ts").Limits} Limits */
/** @typedef {import("./types.d.ts").ReadBody} ReadBody */
/** @typedef {import("./types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("./types.d.ts").JsonObject} JsonObject */
/** @typedef {import("./types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("./types.d.ts").Diagnosis} Diagnosis */
/** @typedef {import("./diagnosis.js").FailedFetch} FailedFetch */
/** @typedef {import("./types.d.ts").CallError} CallError */

/**
 * @typedef {object} Surroundings
 * @property {typeof globalThis.fetch} fetch
 * @property {() => number} now                           monotonic milliseconds
 * @property {string} pageUrl
 * @property {() => string[]} acceptedOrigins             where files that arguments name may come from
 * @property {(serverId: string, key: string) => Promise<Pin | null>} lookup
 * @property {(serverId: string, origin: string) => Promise<CredentialSet>} loadCredentials
 * @property {(failed: FailedFetch) => Promise<Diagnosis>} diagnose  why a fetch was rejected
 * @property {(call: ToolCall, content: Uint8Array<ArrayBuffer> | string, contentType: string, signal: AbortSignal) => Promise<void>} upload
 * @property {Limits} limits
 * @property {RunObserver} observer
 */
/**
 * What a log may see; every text has its secrets removed already.
 * @typedef {object} RunObserver
 * @property {(call: ToolCall, request: import("./types.d.ts").LoggedRequest) => void} requestBuilt
 * @property {(call: ToolCall, response: import("./types.d.ts").LoggedResponse) => void} answerRead
 */

/** @typedef {(text: string, isCut?: boolean) => string} Redact */

/** A stream of events is handed on so long before the deadline that its answer still arrives in time. */
const STREAM_MARGIN_MS = 3000;
const STREAM_SHARE = 0.85;

/** @param {ToolCall} call */
const streamTime = ({ deadline_ms }) => Math.max(deadline_ms - STREAM_MARGIN_MS, deadline_ms * STREAM_SHARE);

/** How much of an answer the log keeps. */
const PREVIEW_CHARS = 16384;

/** What the bridge takes of an error's message and of a status text (bridge/wire.py). */
const MESSAGE_CHARS = 4000;
const STATUS_TEXT_CHARS = 200;
const CONTENT_TYPE_CHARS = 300;

export class ToolRunner {
  /** @param {Surroundings} around */
  constructor(around) {
    this.around = around;
  }

  /**
   * Why this page does not take the call; null: it does. Fast enough to answer the socket's ack.
   * @param {ToolCall} call
   * @returns {Promise<CallError | null>}
   */
  async refusal(call) {
    try {
      await this.acceptedPin(call);
      return null;
    } catch (error) {
      return errorOf(failureOf(error), false);
    }
  }

  /**
   * @param {ToolCall} call
   * @param {AbortSignal} signal abort with a `CallStopped`
   * @returns {Promise<Outcome>}
   */
  async run(call, signal) {
    const started = this.around.now();
    const duration = () => Math.round((this.around.now() - started) * 10) / 10;
    let redact = redactor([]);
    let isSafe = false;
    try {
      const pin = await this.acceptedPin(call);
      isSafe = pin.plan.safe;
      const credentials = await this.around.loadCredentials(pin.server_id, pin.origin);
      const secrets = secretTexts(credentials);
      redact = redactor(secrets);
      const args = await this.argumentsOf(call, pin, signal);
      const request = this.build(call, pin, args, credentials, redact);
      const response = await this.send(pin, request, credentials, signal);
      const until = AbortSignal.timeout(Math.max(0, streamTime(call) - duration()));
      const answered = await this.receive(call, response, { redact, secrets, signal, until });
      return { ...answered, duration_ms: duration() };
    } catch (error) {
      const failure = failureOf(error);
      failure.message = redact(failure.message);
      failure.detail = redactFacts(failure.detail, redact);
      return { status: "failed", error: errorOf(failure, isSafe), delivered: failure.delivered, duration_ms: duration() };
    }
  }

  /** @param {ToolCall} call @returns {Promise<Pin>} */
  async acceptedPin(call) {
    const pin = await this.around.lookup(call.server_id, call.key);
    if (!pin)
      throw new CallFailure("not_accepted", `This browser has not accepted "${call.key}". Accept it on the bridge page.`);
    if (pin.digest !== call.digest)
      throw new CallFailure("not_accepted", `"${call.key}" has changed since it was accepted. Review it on the bridge page.`);
    return pin;
  }

  /** @param {ToolCall} call @param {Pin} pin @param {AbortSignal} signal @returns {Promise<JsonObject>} */
  async argumentsOf(call, pin, signal) {
    const { fetch, pageUrl, acceptedOrigins, limits } = this.around;
    const sources = { fetch, pageUrl, acceptedOrigins, cap: limits.file_bytes, signal };
    return withFiles(pin.plan, readArguments(call.params), sources);
  }

  /**
   * @param {ToolCall} call
   * @param {Pin} pin
   * @param {JsonObject} args
   * @param {CredentialSet} credentials
   * @param {Redact} redact
   */
  build(call, pin, args, credentials, redact) {
    const request = buildRequest(pin.plan, args, { baseUrl: pin.base_url, credentials });
    const forbidden = forbiddenTarget(request.url, new URL(this.around.pageUrl).origin);
    if (forbidden) throw new CallFailure("blocked_by_policy", forbidden);
    if (new URL(request.url).origin !== pin.origin)
      throw new CallFailure("not_accepted", `"${call.key}" would leave ${pin.origin}. Accept the server's tools again.`);
    const body = typeof request.body === "string" ? request.body : null;
    this.around.observer.requestBuilt(call, {
      method: request.method,
      url: redact(request.url),
      headers: request.headers.map(([name, value]) => [name, redact(value)]),
      body: body === null ? null : redact(body.slice(0, PREVIEW_CHARS), body.length > PREVIEW_CHARS),
      body_bytes: body === null ? (request.body?.length ?? 0) : new TextEncoder().encode(body).length,
    });
    return request;
  }

  /**
   * @param {Pin} pin
   * @param {BuiltRequest} request
   * @param {CredentialSet} credentials
   * @param {AbortSignal} signal
   * @returns {Promise<Response>}
   */
  async send(pin, request, credentials, signal) {
    signal.throwIfAborted();
    const mayFollow = pin.plan.safe && placeSecrets(pin.plan, credentials).length === 0;
    const init = fetchInit(request, { mayFollow, signal, pageUrl: this.around.pageUrl });
    const started = this.around.now();
    let response;
    try {
      response = await this.around.fetch(request.url, init);
    } catch (error) {
      throw signal.aborted ? stoppedUnderWay(signal) : await this.diagnosed(pin, request, this.around.now() - started, error);
    }
    if (response.type === "opaqueredirect") throw redirectRefused(request.url);
    if (response.redirected && new URL(response.url).origin !== pin.origin) throw redirectRefused(request.url);
    return response;
  }

  /**
   * @param {Pin} pin
   * @param {BuiltRequest} request
   * @param {number} took_ms
   * @param {unknown} error
   */
  async diagnosed(pin, request, took_ms, error) {
    const mayArriveUnasked = !pin.plan.safe && !needsPreflight(request);
    const failed = { url: request.url, mayArriveUnasked, took_ms };
    const { code, message, detail, delivered, retryable } = await this.around.diagnose(failed);
    const facts = { ...detail, browser_said: messageOf(error) };
    return new CallFailure(code, message, { detail: facts, delivered, retryable });
  }

  /**
   * @param {ToolCall} call
   * @param {Response} response
   * @param {{redact: Redact, secrets: string[], signal: AbortSignal, until: AbortSignal}} how `until`: when an
   *   endless answer is cut
   * @returns {Promise<Omit<import("./types.d.ts").Answered, "duration_ms">>}
   */
  async receive(call, response, { redact, secrets, signal, until }) {
    const body = await readBody(response, this.around.limits, signal, until);
    if (body.kind === "text") body.text = redact(body.text, body.truncated);
    if (body.kind === "file") overwriteSecrets(body.content, secrets);
    const content_type = redact(response.headers.get("content-type") ?? "").slice(0, CONTENT_TYPE_CHARS);
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, redact(value)]));
    const status_text = redact(response.statusText).slice(0, STATUS_TEXT_CHARS);
    const head = { http_status: response.status, status_text, content_type, headers };
    const size = { bytes: body.bytes, truncated: body.truncated };
    if (body.kind === "too_large") throw tooLarge(body.bytes, body.total_bytes, response.status);
    const preview = body.kind === "text" ? body.text.slice(0, PREVIEW_CHARS) : "";
    this.around.observer.answerRead(call, { ...head, ...size, kind: body.kind, preview });
    const delivery = await this.deliver(call, body, content_type, signal);
    return { status: "answered", ...head, ...size, body: delivery, total_bytes: body.total_bytes };
  }

  /**
   * @param {ToolCall} call
   * @param {Exclude<ReadBody, {kind: "too_large"}>} body
   * @param {string} contentType
   * @param {AbortSignal} signal
   * @returns {Promise<import("./types.d.ts").OutcomeBody>}
   */
  async deliver(call, body, contentType, signal) {
    if (body.kind === "empty") return { kind: "empty" };
    if (body.kind === "text") {
      const encoded = new TextEncoder().encode(body.text);
      if (encoded.byteLength <= this.around.limits.inline_result_bytes) return { kind: "text", text: body.text };
    }
    const content = body.kind === "text" ? body.text : body.content;
    const type = body.kind === "text" ? `${essence(contentType) || "text/plain"}; charset=utf-8` : contentType;
    try {
      await this.around.upload(call, content, type || "application/octet-stream", signal);
    } catch (error) {
      throw signal.aborted ? stoppedUnderWay(signal) : uploadFailed(body.bytes, error);
    }
    return { kind: "uploaded" };
  }
}

/** @param {string} text @returns {JsonObject} */
function readArguments(text) {
  let value;
  try {
    value = text.trim() === "" ? {} : parseJson(text);
  } catch (error) {
    throw new CallFailure("invalid_arguments", `The arguments are not JSON: ${messageOf(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CallFailure("invalid_arguments", "The arguments must be a JSON object.");
  return value;
}

/**
 * @param {Response} response
 * @param {Limits} limits
 * @param {AbortSignal} signal
 * @param {AbortSignal} until
 */
async function readBody(response, limits, signal, until) {
  try {
    return await readAnswer(response, limits, until);
  } catch (error) {
    throw signal.aborted ? stoppedUnderWay(signal) : brokenOff(response.status, error);
  }
}

/** @param {CallFailure} failure @param {boolean} isSafe @returns {CallError} */
function errorOf({ code, message, detail, retryable, delivered }, isSafe) {
  return { code, message: message.slice(0, MESSAGE_CHARS), detail, retryable: retryable && (isSafe || delivered === "no") };
}
