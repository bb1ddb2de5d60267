// @ts-check
/** The calls that run now: their deadlines and how they are stopped. Knows neither socket nor page. */

import { STOPPED_BY_USER } from "./answer_reader.js";
import { CallStopped } from "./call_failure.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */
/** @typedef {{runCall: (call: ToolCall, signal: AbortSignal, enough: AbortSignal) => Promise<Outcome>}} Runner */
/** @typedef {{set: (callback: () => void, milliseconds: number) => unknown, clear: (timer: any) => void}} Timers */

/** Maximum number of Stops remembered because they overtook their call. */
const REMEMBERED_STOPS = 100;

export class RunningCalls {
  /** @type {Map<string, AbortController>} */
  #controllers = new Map();
  /** Of each call: what ends a stream with what has come. @type {Map<string, AbortController>} */
  #enough = new Map();
  /** @type {Map<string, string>} */
  #stoppedEarly = new Map();

  /**
   * @param {Runner} runner
   * @param {(call: ToolCall, outcome: Outcome) => void} ended called once for every call that was started
   * @param {Timers} [timers]  the worker's own: a hidden page's timers lie (measured)
   */
  constructor(
    runner,
    ended,
    timers = { set: (...parts) => setTimeout(...parts), clear: (timer) => clearTimeout(timer) },
  ) {
    this.runner = runner;
    this.ended = ended;
    this.timers = timers;
  }

  get size() {
    return this.#controllers.size;
  }

  get callIds() {
    return [...this.#controllers.keys()];
  }

  /** @param {string} callId */
  isRunning(callId) {
    return this.#controllers.has(callId);
  }

  /**
   * Runs the call; at its deadline its fetch is aborted.
   * @param {ToolCall} call
   */
  async startCall(call) {
    const controller = new AbortController();
    this.#controllers.set(call.call_id, controller);
    const seconds = Math.round(call.deadline_ms / 100) / 10;
    const late = new CallStopped("timeout", `The API did not answer within ${seconds} s.`);
    const timer = this.timers.set(() => controller.abort(late), call.deadline_ms);
    const reason = this.#stoppedEarly.get(call.call_id);
    if (reason !== undefined) controller.abort(new CallStopped("cancelled", reason));
    const enough = new AbortController();
    this.#enough.set(call.call_id, enough);
    const outcome = await this.runner.runCall(call, controller.signal, enough.signal);
    this.timers.clear(timer);
    this.#enough.delete(call.call_id);
    this.#controllers.delete(call.call_id);
    this.ended(call, outcome);
  }

  /** Whether a Stop overtook this call. @param {string} callId */
  wasStopped(callId) {
    return this.#stoppedEarly.has(callId);
  }

  /**
   * @param {string} callId
   * @param {string} reason a sentence
   */
  stopCall(callId, reason) {
    const controller = this.#controllers.get(callId);
    if (controller) controller.abort(new CallStopped("cancelled", reason));
    else this.#rememberStop(callId, reason);
  }

  /** Its answer is what has come until now, if that is a stream of events or lines. @param {string} callId */
  finishCall(callId) {
    this.#enough.get(callId)?.abort(STOPPED_BY_USER);
  }

  /** @param {string} callId @param {string} reason */
  #rememberStop(callId, reason) {
    this.#stoppedEarly.set(callId, reason);
    if (this.#stoppedEarly.size <= REMEMBERED_STOPS) return;
    this.#stoppedEarly.delete(/** @type {string} */ (this.#stoppedEarly.keys().next().value));
  }
}
