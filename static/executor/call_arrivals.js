// @ts-check
/**
 * What becomes of a call that arrives, however often it comes: it is answered each time, begun once, and never refused
 * once it may have been begun, because nothing that is found out then proves that it was not sent. Knows no socket.
 */

import { ackOf, SeenCalls } from "./call_message.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").CallError} CallError */
/** @typedef {import("./call_failure.js").CallFailure} CallFailure */
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
