// @ts-check
/**
 * One tool call to its outcome: pinned plan, arguments, request, fetch, capped answer, redaction, upload.
 *
 * Everything it touches is injected. `run` never throws: whatever happens is an outcome. It calls `fetch` for the
 * request at most once; sending a call again is the bridge's decision. Files that arguments name by URL are read before.
 */

import { streamTime } from "./answer_reader.js";
import { receiveAnswer } from "./answer_receipt.js";
import { forbiddenTarget } from "./address_space.js";
import { buildRequest } from "../request/build.js";
import { nextId, withIdempotencyKey } from "../request/idempotency_key.js";
import { passedContext, withTraceContext } from "../request/trace_context.js";
import { readFiles } from "./file_reads.js";
import { describeFailed, mayFollow } from "../causes/failed_request.js";
import {
  CallFailure,
  errorOf,
  failedOutcome,
  failureOf,
  notAccepted,
  stoppedUnderWay,
  uploadFailed,
  withRedirectCause,
} from "./call_failure.js";
import { messageOf } from "../base/error_message.js";
import { PhaseClock } from "../base/phase_clock.js";
import { loggedRequest } from "./call_log.js";
import { withoutBody } from "./call_message.js";
import { createLogRedactor, createRedactor } from "./redaction.js";
import { secretTexts } from "../request/credential_placement.js";
import { BY_PAGE, cookieTexts, statedVia, withOtherWay, withVia } from "./transport_choice.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../types/types.d.ts").Pin} Pin */
/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("./mcp_calls.js").McpCalls} McpCalls */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {import("../types/types.d.ts").Upload} Upload */

/** @typedef {import("../types/runner_types.d.ts").RunnerEnvironment} RunnerEnvironment */
/** @typedef {import("../types/runner_types.d.ts").Redact} Redact */
/** @typedef {import("../types/runner_types.d.ts").Course} Course */
/** @typedef {import("../types/runner_types.d.ts").Sending} Sending */

export class ToolRunner {
  /** @param {RunnerEnvironment} environment */
  constructor(environment) {
    this.environment = environment;
  }

  /**
   * Why this page does not take the call; null: it does. Fast enough to answer the socket's ack.
   * @param {ToolCall} call
   * @returns {Promise<import("../types/types.d.ts").CallError | null>}
   */
  async findRefusal(call) {
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
   * @param {AbortSignal} [enough] when it aborts, what has come of a stream is its answer
   * @returns {Promise<Outcome>}
   */
  async runCall(call, signal, enough) {
    const started = this.environment.now();
    const duration = () => Math.round((this.environment.now() - started) * 10) / 10;
    /** @type {Course} */
    const course = {
      redact: createRedactor([]),
      isSafe: false,
      hasBegun: false,
      via: BY_PAGE,
      epoch: "",
      clock: new PhaseClock(this.environment.now),
    };
    try {
      const { answered, upload } = await this.performCall(call, course, duration, { signal, enough });
      const outcome = { ...answered, duration_ms: duration(), ...statedVia(course.via) };
      if (course.hasBegun) await this.environment.journal.recordOutcome(call, outcome, upload);
      const isThere = !upload || (await this.uploadBody(call, upload, outcome.bytes, course, signal));
      return { ...(isThere ? outcome : withoutBody(outcome)), phases_ms: course.clock.read() };
    } catch (error) {
      const outcome = failedOutcome(withVia(failureOf(error), course.via), course, duration());
      if (course.hasBegun) await this.environment.journal.recordOutcome(call, outcome, null);
      return { ...outcome, phases_ms: course.clock.read() };
    }
  }

  /**
   * @param {ToolCall} call
   * @param {Course} course  what is known of the run so far, whatever becomes of it
   * @param {() => number} duration
   * @param {{signal: AbortSignal, enough?: AbortSignal}} ends see `runCall`
   */
  async performCall(call, course, duration, { signal, enough }) {
    const pin = await this.acceptedPin(call);
    course.isSafe = pin.plan.safe;
    const sending = await this.prepareSending(call, pin, true);
    course.via = sending.via;
    const secrets = [...secretTexts(sending.credentials), ...cookieTexts(sending.via)];
    const redact = (course.redact = createRedactor(secrets));
    const { args, reads } = await readFiles(this, call, pin, signal);
    sending.reads = reads;
    const request = this.buildRequest(call, sending, args, redact);
    const observe = (/** @type {BuiltRequest} */ sent) =>
      this.observeRequest(call, sent, sending, createLogRedactor(redact, args));
    course.epoch = await this.environment.transports[sending.via.transport].open();
    const mcp = pin.plan.kind === "mcp" ? await this.prepareMcp(call, { sending, request, signal, observe }) : null;
    const refusal = await mcp?.openServer();
    if (!course.isSafe && !refusal) await this.beginRequest(call, course, signal);
    course.clock.beginNext();
    const sent_at = this.environment.now();
    const response = refusal ?? (await (mcp ? mcp.callTool() : this.sendRequest(sending, request, signal)));
    for (const each of Object.values(sending.credentials)) if ("check" in each) await each.check?.(response);
    course.clock.beginNext();
    const until = endOfStream(Math.max(0, streamTime(call) - duration()), enough);
    const url = mcp ? null : request.url;
    const how = { url, sent_at, sending, redact, secrets, signal, until };
    return receiveAnswer(this.environment, call, response, how);
  }

  /** @param {ToolCall} call @param {Omit<Parameters<McpCalls["prepareCall"]>[1], "traceparent">} parts */
  async prepareMcp(call, parts) {
    const mcp = await this.environment.loadMcp();
    return mcp.prepareCall(this, { ...parts, traceparent: passedContext(call) });
  }

  /** @param {ToolCall} call @param {Pin} pin @param {boolean} mayRenew the call was allowed, or needs no asking @returns {Promise<Sending>} */
  async prepareSending({ call_id }, pin, mayRenew) {
    const { loadCredentials, findVia } = this.environment;
    const [credentials, via] = await Promise.all([
      loadCredentials(pin.server_id, pin.origin, mayRenew),
      findVia(pin.server_id, pin.origin),
    ]);
    return { pin, credentials, via, ids: [call_id], reads: [] };
  }

  /**
   * What may change something is written down first, and does not begin while nobody could say that it is over.
   * @param {ToolCall} call
   * @param {Course} course
   * @param {AbortSignal} signal
   */
  async beginRequest(call, course, signal) {
    signal.throwIfAborted();
    await this.environment.journal.recordBegun(call, course.epoch);
    course.hasBegun = true;
    if (!this.environment.isConnected())
      throw new CallFailure("no_browser", "The page lost its connection to the bridge before the request was sent.", {
        retryable: true,
      });
  }

  /** @param {ToolCall} call @returns {Promise<Pin>} */
  async acceptedPin(call) {
    const pin = await this.environment.findPin(call.server_id, call.key);
    if (pin === null || pin.digest !== call.digest) throw notAccepted(call, pin);
    return pin;
  }

  /** Within what was accepted. @param {Sending} sending @param {JsonObject} args @returns {BuiltRequest} */
  composeRequest({ pin, credentials, via }, args) {
    const request = buildRequest(pin.plan, args, { baseUrl: pin.base_url, credentials, headers: via.headers });
    const forbidden = forbiddenTarget(request.url, new URL(this.environment.pageUrl).origin);
    if (forbidden) throw new CallFailure("blocked_by_policy", forbidden);
    if (new URL(request.url).origin !== pin.origin)
      throw new CallFailure("not_accepted", `"${pin.key}" would leave ${pin.origin}. Accept the server's tools again.`);
    return request;
  }

  /** @param {ToolCall} call @param {Sending} sending @param {JsonObject} args @param {Redact} redact */
  buildRequest(call, sending, args, redact) {
    const { plan } = sending.pin;
    const request = withTraceContext(withIdempotencyKey(this.composeRequest(sending, args), plan, call), plan, call);
    this.observeRequest(call, request, sending, createLogRedactor(redact, args));
    return request;
  }

  /** @param {ToolCall} call @param {BuiltRequest} request @param {Sending} sending @param {Redact} shown */
  observeRequest(call, request, sending, shown) {
    this.environment.observer.requestBuilt(call, loggedRequest(request, sending, shown));
  }

  /** @param {Sending} sending @param {BuiltRequest} request @param {AbortSignal} signal @returns {Promise<Response>} */
  async sendRequest(sending, request, signal) {
    signal.throwIfAborted();
    const started = this.environment.now();
    try {
      return await this.fetchAnswer(sending, request, signal, nextId(sending));
    } catch (error) {
      throw await this.explainError(sending, request, this.environment.now() - started, signal, error);
    }
  }

  /**
   * @param {Sending} sending @param {BuiltRequest} request @param {AbortSignal} signal @param {string} [id]
   * @returns {Promise<Response>}
   * @throws {CallFailure | TypeError | DOMException} as `fetch` does, or at a redirect that must not be followed
   */
  fetchAnswer(sending, request, signal, id = crypto.randomUUID()) {
    const { pin, via } = sending;
    const passage = { origin: pin.origin, via, id, mayFollow: mayFollow(sending), signal };
    const answer = this.environment.transports[via.transport].send(request, passage);
    if (via.transport === "page")
      answer.then(
        () => this.environment.noteRead(pin.server_id, request),
        () => undefined,
      );
    return answer;
  }

  /** @param {Sending} sending @param {BuiltRequest} request @param {number} took_ms @param {AbortSignal} signal @param {unknown} error of `fetchAnswer` */
  async explainError(sending, request, took_ms, signal, error) {
    const failed = describeFailed(sending, request);
    if (error instanceof CallFailure) return withRedirectCause(error, failed, this.environment.explainRedirect);
    if (signal.aborted) return stoppedUnderWay(signal);
    const { code, message, detail, delivered, retryable } = await this.environment.diagnoseFailure({
      ...failed,
      took_ms,
    });
    const facts = { ...detail, browser_said: messageOf(error) };
    return new CallFailure(code, withOtherWay(code, message), { detail: facts, delivered, retryable });
  }

  /** False: lost; its status tells what a call changed. @param {ToolCall} call @param {Upload} upload @param {number} bytes @param {Course} course @param {AbortSignal} signal */
  async uploadBody(call, { content, content_type }, bytes, course, signal) {
    course.clock.beginNext();
    try {
      await this.environment.uploadResult(call, content, content_type, signal);
      return true;
    } catch (error) {
      if (course.hasBegun) return false;
      throw signal.aborted ? stoppedUnderWay(signal) : uploadFailed(bytes, error);
    }
  }
}

/** When a stream is cut. @param {number} after_ms @param {AbortSignal | undefined} enough */
function endOfStream(after_ms, enough) {
  const late = AbortSignal.timeout(after_ms);
  return enough ? AbortSignal.any([late, enough]) : late;
}
