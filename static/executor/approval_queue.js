// @ts-check
/**
 * The calls that wait for their user: one decision each, at the latest when its time is over. Lives in the worker, whose
 * timers are exact; the tabs only show cards and send clicks. Knows neither socket nor page.
 */

import { grantOf } from "./approval_policy.js";
import { CallFailure } from "./call_failure.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").CardFacts} CardFacts */
/** @typedef {import("../types/types.d.ts").WaitingCard} WaitingCard */
/** @typedef {import("../types/types.d.ts").ReasonToAsk} ReasonToAsk */
/** @typedef {import("./approval_policy.js").Decision} Decision */
/** @typedef {{decision: Decision, reason: "user" | "no_answer"}} Said */
/**
 * @typedef {object} Waiting
 * @property {ToolCall} call
 * @property {CardFacts | null} facts  null: not known yet, so not shown yet
 * @property {number} untilMonotonic
 * @property {number} untilWall
 * @property {any} timer
 * @property {Said | null} said           null: nothing yet
 * @property {boolean} isQueued           the bridge knows that it is approved, and it waits for its turn
 * @property {boolean} isUp               its turn came before the bridge had said that it has to wait
 * @property {CallFailure | null} ended  what the caller or the bridge made of it meanwhile
 */
/**
 * @typedef {object} DeskSurroundings
 * @property {(call: ToolCall) => Promise<CardFacts>} describe         throws what makes the call impossible
 * @property {(callId: string, said: Said) => Promise<import("./bridge_socket.js").Go>} decide  asks the bridge
 * @property {{add: (grant: import("../types/types.d.ts").PageGrant) => Promise<void>}} grants
 * @property {{monotonic: () => number, wall: () => number}} clock       milliseconds; one may be set, the other may sleep
 * @property {{set: (callback: () => void, milliseconds: number) => unknown, clear: (timer: any) => void}} timers
 */
/**
 * @typedef {object} DeskDelegate
 * @property {(call: ToolCall) => void} go                               it may run now
 * @property {(call: ToolCall) => void} queued                           it was approved and waits for its turn
 * @property {(call: ToolCall, failure: CallFailure) => void} failed     it will not run, which the bridge does not know
 * @property {(call: ToolCall, failure: CallFailure) => void} closed     it will not run, which the bridge knows
 * @property {(cards: WaitingCard[]) => void} changed
 */

/** So long the bridge may take to answer when an approved call has its turn; whatever it says later starts nothing. */
const ANSWER_MS = 30_000;

const NO_ANSWER = /** @type {const} */ ({ decision: "denied", reason: "no_answer" });
const tooLate = () => new CallFailure("denied", "This call was not approved in time.", { detail: { reason: "no_answer" } });
const denied = () => new CallFailure("denied", "You denied this call.", { detail: { reason: "user" } });
const over = () => new CallFailure("cancelled", "The call ended before it was approved.");

export class ApprovalDesk {
  /** @type {Map<string, Waiting>} */
  #waiting = new Map();

  /** @param {DeskSurroundings} around @param {DeskDelegate} delegate */
  constructor(around, delegate) {
    this.around = around;
    this.delegate = delegate;
  }

  /** Calls that the bridge still waits for. */
  get ids() {
    return [...this.#waiting.keys()];
  }

  get size() {
    return this.#waiting.size;
  }

  /** @param {string} callId */
  has(callId) {
    return this.#waiting.has(callId);
  }

  /** What is shown, oldest first. @returns {WaitingCard[]} */
  get cards() {
    return [...this.#waiting.values()].flatMap(({ call, facts, said, untilWall }) =>
      facts && !said ? [{ ...facts, call_id: call.call_id, chat_id: call.chat_id, expires_at: untilWall }] : [],
    );
  }

  /**
   * Shows a card; a call that waits already keeps its own.
   * @param {ToolCall} call
   */
  async wait(call) {
    if (this.#waiting.has(call.call_id)) return;
    const { clock, timers, describe } = this.around;
    const timer = timers.set(() => void this.#decide(call.call_id, NO_ANSWER), call.approval_ms);
    const until = untilFrom(clock, call.approval_ms);
    this.#waiting.set(call.call_id, { call, facts: null, ...until, timer, said: null, isQueued: false, isUp: false, ended: null });
    try {
      const facts = await describe(call);
      const waiting = this.#waiting.get(call.call_id);
      if (waiting) waiting.facts = facts;
      this.delegate.changed(this.cards);
    } catch (error) {
      if (this.#remove(call.call_id)) this.delegate.failed(call, /** @type {CallFailure} */ (error));
    }
  }

  /**
   * A click, in whatever tab; the first one counts, but what is queued may still be denied. A grant lets the other
   * waiting calls it covers go, too.
   * @param {string[]} callIds
   * @param {Decision} decision
   */
  decide(callIds, decision) {
    const clicked = callIds.flatMap((callId) => this.#waiting.get(callId) ?? []);
    const alike = decision === "once" || decision === "denied" ? [] : this.#like(clicked, decision);
    for (const { call } of new Set([...clicked, ...alike])) void this.#decide(call.call_id, { decision, reason: "user" });
  }

  /** Its turn came: the bridge says go when it hears the decision again. @param {string} callId */
  turnCame(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting?.isQueued) return void (waiting && (waiting.isUp = true));
    waiting.isQueued = waiting.isUp = false;
    Object.assign(waiting, untilFrom(this.around.clock, ANSWER_MS));
    if (waiting.said) void this.#ask(waiting, waiting.said);
  }

  /** Nobody knows whether the bridge called one up meanwhile. */
  reconnected() {
    for (const [callId, { isQueued }] of this.#waiting) if (isQueued) this.turnCame(callId);
  }

  /** It ended for the bridge. @param {string} callId @returns {boolean} whether it was waiting */
  withdraw(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting) return false;
    waiting.ended = over();
    if (waiting.said && !waiting.isQueued) return true; // The answer to the decision ends it.
    this.#remove(callId);
    this.delegate.closed(waiting.call, waiting.ended);
    return true;
  }

  /** @param {Waiting[]} clicked @param {Decision} decision */
  #like(clicked, decision) {
    /** @param {ToolCall} a @param {ToolCall} b */
    const isAlike = (a, b) =>
      a.server_id === b.server_id && a.key === b.key && a.digest === b.digest && (decision !== "chat" || a.chat_id === b.chat_id);
    const shown = [...this.#waiting.values()].filter(({ facts }) => facts !== null);
    return shown.filter(({ call }) => clicked.some((one) => isAlike(one.call, call)));
  }

  /** @param {string} callId @param {Said} wanted */
  async #decide(callId, wanted) {
    const waiting = this.#waiting.get(callId);
    const isTakenBack = waiting?.isQueued && wanted.decision === "denied";
    if (!waiting || (waiting.said && !isTakenBack)) return;
    this.around.timers.clear(waiting.timer);
    waiting.said = !isTakenBack && this.#isOver(waiting) ? NO_ANSWER : wanted;
    waiting.isQueued = false;
    this.delegate.changed(this.cards);
    await this.#ask(waiting, waiting.said);
  }

  /** @param {Waiting} waiting @param {Said} said */
  async #ask(waiting, said) {
    const { call } = waiting;
    const { go, wait, deadline_ms } = await this.around.decide(call.call_id, said);
    if (waiting.said !== said) return; // The user has taken it back since.
    if (wait && !waiting.ended) {
      waiting.isQueued = true;
      this.delegate.queued(call);
      return void (waiting.isUp && this.turnCame(call.call_id));
    }
    this.#remove(call.call_id);
    this.#settle(waiting, said, go ? deadline_ms : null);
  }

  /**
   * The bridge has answered. Whatever it said: after its time a card starts nothing.
   * @param {Waiting} waiting
   * @param {Said} said
   * @param {number | null} deadline_ms null: no go
   */
  #settle(waiting, said, deadline_ms) {
    const { call, ended } = waiting;
    if (said.decision === "denied") return this.delegate.closed(call, said.reason === "user" ? denied() : tooLate());
    if (deadline_ms === null) return this.delegate.closed(call, ended ?? over());
    const failure = ended ?? (this.#isOver(waiting) ? tooLate() : null);
    if (failure) return this.delegate.failed(call, failure);
    const grant = grantOf(said.decision, call, this.around.clock.wall());
    if (grant) void this.around.grants.add(grant);
    return this.delegate.go({ ...call, deadline_ms });
  }

  /** @param {Waiting} waiting */
  #isOver({ untilMonotonic, untilWall }) {
    const { clock } = this.around;
    return clock.monotonic() >= untilMonotonic || clock.wall() >= untilWall;
  }

  /** @param {string} callId */
  #remove(callId) {
    const waiting = this.#waiting.get(callId);
    if (!waiting) return false;
    this.around.timers.clear(waiting.timer);
    this.#waiting.delete(callId);
    this.delegate.changed(this.cards);
    return true;
  }
}

/** @param {DeskSurroundings["clock"]} clock @param {number} milliseconds */
const untilFrom = (clock, milliseconds) => ({ untilMonotonic: clock.monotonic() + milliseconds, untilWall: clock.wall() + milliseconds });
