// @ts-check
/** The message of a call and its ack, in the words of the wire, and what becomes of a call that arrives. Pure. */

import { dictionaryOf } from "../base/dictionary.js";
import { messageOf } from "../base/error_message.js";
import { CallFailure } from "./call_failure.js";
import { parseJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").CallError} CallError */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/** @typedef {{call_id: string, attempt: number}} Attempt */
/**
 * @typedef {object} ArrivalDelegate
 * @property {(callId: string) => boolean} isUnderWay                  it runs or waits here, or was begun here and may change something
 * @property {(callId: string) => boolean} isWaiting                   for its user
 * @property {(call: ToolCall) => Promise<boolean>} isSafe             false also where that is not known; must not throw
 * @property {(call: ToolCall) => Promise<CallFailure | null>} doubtOf   whether this browser may have begun it; must not throw
 * @property {(call: ToolCall) => Promise<CallError | null>} refusalOf  asked before a call is accepted; must not throw
 * @property {(call: ToolCall) => Promise<boolean>} mustAsk            whether the user decides first; must not throw
 * @property {(call: ToolCall) => void} approvalNeeded                 it was accepted, and the user is to be asked
 * @property {(call: ToolCall) => void} callArrived                    once per attempt, after it was accepted
 * @property {(call: ToolCall, doubt: CallFailure) => void} callDoubted  it was accepted, and is not begun
 */
/**
 * @typedef {object} Caller   of one message
 * @property {() => boolean} isThere                        whether its connection still is
 * @property {(ack: Record<string, unknown>) => void} answer
 * @property {() => void} repeatResult                      if there is one that is not confirmed
 */
/** @typedef {{error: CallError | null, asks: boolean, doubt: CallFailure | null}} Finding */

/** Maximum characters of who asks for a call. */
export const ASKED_BY_CHARS = 200;

export const REMEMBERED_CALLS = 1000;

/** Sentences for the reasons of `cancel:tool`. @type {Record<string, string>} */
const CANCEL_REASONS = dictionaryOf({
  caller_gone: "The caller disconnected.",
  deadline: "The deadline of this call has passed.",
  no_answer: "This call was not approved in time.",
  no_slot: "This call was approved, but may not run now.",
});

/** @param {unknown} reason of a `cancel:tool` @returns {string} a sentence for the user */
export const cancelSentence = (reason) => CANCEL_REASONS[textOf(reason)] ?? "The caller stopped this call.";

/** @param {unknown} value */
export const textOf = (value) => (typeof value === "string" ? value : "");

/**
 * @param {any} message an `events` payload
 * @returns {ToolCall | null} null: not a tool call for us
 */
export function readCall(message) {
  const call = message?.data?.type === "execute:tool" ? message.data.data : null;
  if (!call || !textOf(call.id) || !textOf(call.server?.id)) return null;
  return {
    call_id: call.id,
    tool: textOf(call.bridge?.tool) || textOf(call.name),
    server_id: call.server.id,
    key: textOf(call.name),
    digest: textOf(call.server.digest),
    params: textOf(call.params),
    deadline_ms: Number(call.bridge?.deadline_ms) || 60_000,
    result_token: textOf(call.bridge?.result_token),
    idempotency_key: call.bridge?.idempotency_key === true,
    traceparent: traceparentOf(call.bridge?.traceparent),
    pass_traceparent: call.bridge?.pass_traceparent === true,
    attempt: Number(call.bridge?.attempt) || 1,
    must_ask: call.bridge?.approval === "needed",
    approval_ms: Number(call.bridge?.approval_ms) || 120_000,
    asked_by: textOf(call.bridge?.asked_by).slice(0, ASKED_BY_CHARS),
    caller_id: textOf(call.bridge?.caller_id),
    chat_id: message.chat_id ?? call.bridge?.chat_id ?? null,
    doubted: doubtedOf(call.bridge?.doubted),
  };
}

/** Only what may stand in a header. @param {unknown} said */
const traceparentOf = (said) => (/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(textOf(said)) ? textOf(said) : "");

/** @param {any} said @returns {import("../types/types.d.ts").DoubtedCall | null} */
function doubtedOf(said) {
  if (!said || !textOf(said.call_id) || !Number.isFinite(said.opened_at)) return null;
  return { call_id: said.call_id, opened_at: said.opened_at };
}

/** @param {ToolCall} call @param {CallError | null} error @param {boolean} asks */
export function ackOf({ call_id }, error, asks) {
  if (error) return { call_id, error };
  return asks ? { call_id, awaiting_approval: true } : { call_id };
}

/**
 * An answer whose body is lost on its way to the bridge: what the API did is known all the same.
 * @param {import("../types/types.d.ts").Answered} outcome @returns {import("../types/types.d.ts").Answered}
 */
export const withoutBody = (outcome) => ({ ...outcome, body: { kind: "empty" }, truncated: true });

/**
 * The arguments of a call, as the bridge sends them: JSON text, so that no integer is lost.
 * @param {string} text @returns {JsonObject}
 */
export function readArguments(text) {
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

/** Which calls have arrived, and the last attempt of each, so that a call sent twice is run once. */
export class SeenCalls {
  /** The last attempt of each call, oldest call first. @type {Map<string, number>} */
  #attempts = new Map();

  /** Whether this attempt has not arrived before; from now on it has. @param {Attempt} call */
  noteAttempt({ call_id, attempt }) {
    const last = this.#attempts.get(call_id) ?? 0;
    this.#attempts.set(call_id, Math.max(attempt, last));
    if (this.#attempts.size > REMEMBERED_CALLS)
      this.#attempts.delete(/** @type {string} */ (this.#attempts.keys().next().value));
    return attempt > last;
  }

  /** As if this attempt had never arrived. @param {Attempt} call */
  forgetAttempt({ call_id, attempt }) {
    if (this.#attempts.get(call_id) === attempt) this.#attempts.set(call_id, attempt - 1);
  }
}

/**
 * What becomes of a call that arrives, however often it comes: it is answered each time, begun once, and never refused
 * once it may have been begun, because nothing that is found out then proves that it was not sent. Knows no socket.
 */
export class CallArrivals {
  #seen = new SeenCalls();

  /** @param {ArrivalDelegate} delegate @param {(callId: string) => boolean} hasResult one that the bridge has not confirmed */
  constructor(delegate, hasResult) {
    this.delegate = delegate;
    this.hasResult = hasResult;
  }

  /** @param {ToolCall} call @param {Caller} caller */
  async receiveCall(call, { isThere, answer, repeatResult }) {
    const examined = this.#seen.noteAttempt(call) ? await this.#examineCall(call) : null;
    if (!isThere()) return this.#seen.forgetAttempt(call); // The next handshake shows that it was never begun.
    const found = this.delegate.isUnderWay(call.call_id) ? null : examined; // it may have come to be meanwhile
    const { error, asks, doubt } = found ?? { error: null, asks: this.delegate.isWaiting(call.call_id), doubt: null };
    answer(ackOf(call, error, asks));
    if (error) return;
    if (doubt) this.delegate.callDoubted(call, doubt);
    else if (asks) this.delegate.approvalNeeded(call);
    else if (found) this.delegate.callArrived(call);
    else repeatResult();
  }

  /** @param {ToolCall} call @returns {Promise<Finding | null>} null: its result is there, and is repeated */
  async #examineCall(call) {
    const { isSafe, doubtOf, refusalOf, mustAsk } = this.delegate;
    if (this.hasResult(call.call_id) && !(await isSafe(call))) return null;
    const doubt = await doubtOf(call);
    if (doubt) return { error: null, asks: false, doubt };
    const error = await refusalOf(call);
    return { error, asks: !error && (await mustAsk(call)), doubt: null };
  }
}
