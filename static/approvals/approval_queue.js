// @ts-check
/**
 * The calls that wait for their user: one decision each, at the latest when their time is up. Lives in the worker, whose
 * timers are exact; the tabs only show cards and send clicks. Knows neither socket nor page.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { asksEachTime, grantOf, isSameChat } from "./approval_policy.js";
import { CallFailure } from "../executor/call_failure.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").CardFacts} CardFacts */
/** @typedef {import("../types/types.d.ts").WaitingCard} WaitingCard */
/** @typedef {import("../types/types.d.ts").ReasonToAsk} ReasonToAsk */
/** @typedef {import("./approval_policy.js").Decision} Decision */
/** @typedef {{decision: Decision, reason: import("../types/types.d.ts").DecisionReason}} UserDecision */
/**
 * @typedef {object} WaitingCall
 * @property {ToolCall} call
 * @property {CardFacts | null} facts  null: not known yet, so not shown yet
 * @property {number} untilMonotonic
 * @property {number} untilWall
 * @property {any} timer
 * @property {UserDecision | null} decision           null: none yet
 * @property {boolean} isQueued           the bridge has the approval, and the call waits for a slot
 * @property {boolean} hasSlot               its slot came before the bridge had answered that it has to wait
 * @property {CallFailure | null} failure  how the caller or the bridge has ended it meanwhile
 */
/**
 * @typedef {object} ApprovalEnvironment
 * @property {(call: ToolCall) => Promise<CardFacts>} describeCall         throws what makes the call impossible
 * @property {(callId: string, decision: UserDecision) => Promise<import("../types/socket_types.d.ts").DecisionReply>} submitDecision  asks the bridge
 * @property {{addGrant: (grant: import("../types/types.d.ts").PageGrant) => Promise<void>}} grants
 * @property {{monotonic: () => number, wall: () => number}} clock       milliseconds; one may be set, the other may sleep
 * @property {{set: (callback: () => void, milliseconds: number) => unknown, clear: (timer: any) => void}} timers
 */
/**
 * @typedef {object} ApprovalQueueDelegate
 * @property {(call: ToolCall) => void} callApproved                               it may run now
 * @property {(call: ToolCall) => void} callQueued                           it was approved and waits for a slot
 * @property {(call: ToolCall, failure: CallFailure) => void} callFailed     it will not run, and the bridge does not know that
 * @property {(call: ToolCall, failure: CallFailure) => void} callClosed     it will not run, and the bridge knows that
 * @property {(cards: WaitingCard[]) => void} cardsChanged
 */

/** Milliseconds that the bridge may take to answer when an approved call has its slot; a later answer starts nothing. */
const ANSWER_MS = 30_000;

const NO_ANSWER = /** @type {const} */ ({ decision: "denied", reason: "no_answer" });
/** What a card takes over from its call. @param {ToolCall} call */
const whoAsks = ({ call_id, key, asked_by, caller_id, chat_id, doubted }) => ({
  call_id,
  key,
  asked_by,
  caller_id,
  chat_id,
  doubted,
});

const expiredFailure = () =>
  new CallFailure("denied", "This call was not approved in time.", { detail: { reason: "no_answer" } });
const deniedFailure = () => new CallFailure("denied", "You denied this call.", { detail: { reason: "user" } });
const forbiddenFailure = () =>
  new CallFailure("denied", "The policy of this page does not allow this call.", { detail: { reason: "policy" } });
const DENIALS = dictionaryOf({ user: deniedFailure, policy: forbiddenFailure, no_answer: expiredFailure });
const endedFailure = () => new CallFailure("cancelled", "The call ended before it was approved.");

export class ApprovalQueue {
  /** @type {Map<string, WaitingCall>} */
  #waiting = new Map();

  /** @param {ApprovalEnvironment} environment @param {ApprovalQueueDelegate} delegate */
  constructor(environment, delegate) {
    this.environment = environment;
    this.delegate = delegate;
  }

  /** Calls that the bridge still waits for. */
  get callIds() {
    return [...this.#waiting.keys()];
  }

  get size() {
    return this.#waiting.size;
  }

  /** @param {string} callId */
  hasCall(callId) {
    return this.#waiting.has(callId);
  }

  /** What is shown, oldest first. @returns {WaitingCard[]} */
  get cards() {
    return [...this.#waiting.values()].flatMap(({ call, facts, decision, untilWall }) =>
      facts && !decision ? [{ ...facts, ...whoAsks(call), expires_at: untilWall }] : [],
    );
  }

  /**
   * Shows a card; a call that is waiting already keeps its card.
   * @param {ToolCall} call
   */
  async addCall(call) {
    if (this.#waiting.has(call.call_id)) return;
    const { clock, timers, describeCall } = this.environment;
    const timer = timers.set(() => void this.#decide(call.call_id, NO_ANSWER), call.approval_ms);
    const until = deadlinesFrom(clock, call.approval_ms);
    this.#waiting.set(call.call_id, {
      call,
      facts: null,
      ...until,
      timer,
      decision: null,
      isQueued: false,
      hasSlot: false,
      failure: null,
    });
    try {
      const facts = await describeCall(call);
      const waiting = this.#waiting.get(call.call_id);
      if (waiting) waiting.facts = facts;
      this.delegate.cardsChanged(this.cards);
    } catch (error) {
      if (this.#remove(call.call_id)) this.delegate.callFailed(call, /** @type {CallFailure} */ (error));
    }
  }

  /**
   * A click, in whatever tab; the first one counts, but a queued call may still be denied. A grant also approves the
   * other waiting calls that it covers, but none that may have been performed already.
   * @param {string[]} callIds
   * @param {Decision} decision
   * @param {"user" | "policy"} [reason]
   */
  decideCalls(callIds, decision, reason = "user") {
    const clicked = callIds.flatMap((callId) => this.#waiting.get(callId) ?? []);
    const alike = decision === "once" || decision === "denied" ? [] : this.#findSimilar(clicked, decision);
    for (const { call } of new Set([...clicked, ...alike])) void this.#decide(call.call_id, { decision, reason });
  }

  /** The call has its slot: the bridge lets it begin when the decision is sent again. @param {string} callId */
  grantSlot(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting?.isQueued) return void (waiting && (waiting.hasSlot = true));
    waiting.isQueued = waiting.hasSlot = false;
    Object.assign(waiting, deadlinesFrom(this.environment.clock, ANSWER_MS));
    if (waiting.decision) void this.#submitDecision(waiting, waiting.decision);
  }

  /** After a reconnect: a slot may have been announced meanwhile. */
  repeatDecisions() {
    for (const [callId, { isQueued }] of this.#waiting) if (isQueued) this.grantSlot(callId);
  }

  /** The call ended for the bridge. @param {string} callId @returns {boolean} whether it was waiting */
  withdrawCall(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting) return false;
    waiting.failure = endedFailure();
    if (waiting.decision && !waiting.isQueued) return true; // The answer to the decision ends it.
    this.#remove(callId);
    this.delegate.callClosed(waiting.call, waiting.failure);
    return true;
  }

  /** @param {WaitingCall[]} clicked @param {Decision} decision */
  #findSimilar(clicked, decision) {
    /** @param {ToolCall} a @param {ToolCall} b */
    const isAlike = (a, b) =>
      a.server_id === b.server_id &&
      a.key === b.key &&
      a.digest === b.digest &&
      (decision !== "chat" || isSameChat(a, b));
    const shown = [...this.#waiting.values()].filter(
      ({ call, facts }) => facts !== null && !asksEachTime(facts.reason) && call.doubted === null,
    );
    return shown.filter(({ call }) => clicked.some((one) => isAlike(one.call, call)));
  }

  /** @param {string} callId @param {UserDecision} wanted */
  async #decide(callId, wanted) {
    const waiting = this.#waiting.get(callId);
    const isTakenBack = waiting?.isQueued && wanted.decision === "denied";
    if (!waiting || (waiting.decision && !isTakenBack)) return;
    this.environment.timers.clear(waiting.timer);
    waiting.decision = !isTakenBack && this.#isExpired(waiting) ? NO_ANSWER : wanted;
    waiting.isQueued = false;
    this.delegate.cardsChanged(this.cards);
    await this.#submitDecision(waiting, waiting.decision);
  }

  /** @param {WaitingCall} waiting @param {UserDecision} decision */
  async #submitDecision(waiting, decision) {
    const { call } = waiting;
    const { may_begin, awaiting_slot, deadline_ms } = await this.environment.submitDecision(call.call_id, decision);
    if (waiting.decision !== decision) return; // The user has withdrawn it since.
    if (awaiting_slot && !waiting.failure) {
      waiting.isQueued = true;
      this.delegate.callQueued(call);
      return void (waiting.hasSlot && this.grantSlot(call.call_id));
    }
    this.#remove(call.call_id);
    this.#finishCall(waiting, decision, may_begin ? deadline_ms : null);
  }

  /**
   * The bridge has answered. Whatever it answered, an expired card starts nothing.
   * @param {WaitingCall} waiting
   * @param {UserDecision} decision
   * @param {number | null} deadline_ms null: it may not begin
   */
  #finishCall(waiting, decision, deadline_ms) {
    const { call, failure } = waiting;
    if (decision.decision === "denied") return this.delegate.callClosed(call, DENIALS[decision.reason]());
    if (deadline_ms === null) return this.delegate.callClosed(call, failure ?? endedFailure());
    const problem = failure ?? (this.#isExpired(waiting) ? expiredFailure() : null);
    if (problem) return this.delegate.callFailed(call, problem);
    const grant = grantOf(decision.decision, call, this.environment.clock.wall());
    if (grant) void this.environment.grants.addGrant(grant);
    return this.delegate.callApproved({ ...call, deadline_ms });
  }

  /** @param {WaitingCall} waiting */
  #isExpired({ untilMonotonic, untilWall }) {
    const { clock } = this.environment;
    return clock.monotonic() >= untilMonotonic || clock.wall() >= untilWall;
  }

  /** @param {string} callId */
  #remove(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting) return false;
    this.environment.timers.clear(waiting.timer);
    this.#waiting.delete(callId);
    this.delegate.cardsChanged(this.cards);
    return true;
  }
}

/** @param {ApprovalEnvironment["clock"]} clock @param {number} milliseconds */
const deadlinesFrom = (clock, milliseconds) => ({
  untilMonotonic: clock.monotonic() + milliseconds,
  untilWall: clock.wall() + milliseconds,
});
