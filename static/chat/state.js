// @ts-check
/**
 * One conversation as data: its stored messages, and what the events of a run add to them. Pure: a state and an event give
 * the next state. Every event may come twice, and before or after the messages were read: ids make that harmless.
 */

import { dictionaryOf, memberOf } from "../base/dictionary.js";

/** @typedef {import("../types/chat_types.js").ChatState} ChatState */
/** @typedef {import("../types/chat_types.js").ChatEvent} ChatEvent */
/** @typedef {import("../types/chat_types.js").LiveCall} LiveCall */
/** @typedef {import("../types/chat_types.js").Message} Message */
/** @typedef {import("../types/chat_types.js").Run} Run */
/** @typedef {import("../types/api_types.js").WireError} WireError */
/** @typedef {Record<string, any>} Data */

/** @type {ChatState} */
export const EMPTY = { messages: new Map(), head_id: null, run: null, calls: {}, notices: [], ended: null };

/** @type {LiveCall} */
const NEW_CALL = { call_id: null, state: "queued", started_at: null, duration_ms: null, error: null, result: null };

/** Whether the run is not over: nothing may be sent meanwhile. @param {ChatState} state */
export const isRunning = (state) => state.run !== null;

/**
 * The stored messages, read anew; what is under way stays.
 * @param {ChatState} state
 * @param {Message[]} messages all branches, oldest first
 * @param {string | null} head_id
 * @returns {ChatState}
 */
export function withMessages(state, messages, head_id) {
  return { ...state, messages: new Map(messages.map((message) => [message.id, message])), head_id };
}

/** Another branch is shown. @param {ChatState} state @param {string | null} head_id @returns {ChatState} */
export function withHead(state, head_id) {
  return { ...state, head_id, ended: null, notices: [] };
}

/**
 * @param {ChatState} state
 * @param {ChatEvent} event
 * @returns {ChatState} the same when the event changes nothing
 */
export function applyEvent(state, event) {
  return REACTIONS[event.type]?.(state, event.data, Date.parse(event.timestamp)) ?? state;
}

/** @type {Record<string, (state: ChatState, data: Data, at: number) => ChatState>} */
const REACTIONS = dictionaryOf({
  connected: (state, { run }) => (run ? state : { ...state, run: null }),
  run_started: applyRunStarted,
  text_delta: (state, { delta }) => changeRun(state, (run) => ({ text: run.text + delta })),
  reasoning_delta: (state, { delta }) => changeRun(state, (run) => ({ reasoning: run.reasoning + delta })),
  tool_call: applyToolCall,
  tool_state: (state, { tool_call_id, call_id, state: word }, at) =>
    changeCall(state, tool_call_id, callStateChange(word, call_id, at)),
  tool_response: (state, data) => changeCall(state, data.tool_call_id, callEndChange(data, false)),
  tool_error: (state, data) => changeCall(state, data.tool_call_id, callEndChange(data, true)),
  notice: (state, { level, text }) => addNotice(state, { level, text }),
  message: (state, { message }) => addMessage(state, message),
  run_ended: applyRunEnded,
});

/** @param {ChatState} state @param {Data} data @returns {ChatState} */
function applyRunStarted(state, { run_id, model, user_message, parent_id }) {
  const known = user_message ? addMessage(state, user_message) : state;
  const parent = parent_id ?? user_message?.id ?? known.head_id;
  const run = { run_id, model: model ?? null, parent_id: parent, reasoning: "", text: "", calls: [] };
  return { ...known, run, notices: [], ended: null };
}

/** @param {ChatState} state @param {(run: Run) => Partial<Run>} change @returns {ChatState} */
function changeRun(state, change) {
  return state.run ? { ...state, run: { ...state.run, ...change(state.run) } } : state;
}

/** @param {ChatState} state @param {Data} data @returns {ChatState} */
function applyToolCall(state, { tool_call_id, tool_name, arguments: text }) {
  const round = state.messages.get(state.run?.parent_id ?? "");
  const known = [...(round?.tool_calls ?? []), ...(state.run?.calls ?? [])];
  const call = { id: tool_call_id, function: { name: tool_name, arguments: String(text ?? "") } };
  const isKnown = known.some(({ id }) => id === tool_call_id);
  const drafted = isKnown ? state : changeRun(state, ({ calls }) => ({ calls: [...calls, call] }));
  return { ...drafted, calls: { ...drafted.calls, [tool_call_id]: NEW_CALL } }; // what is made again begins again
}

/** @param {ChatState} state @param {string} id @param {Partial<LiveCall>} change @returns {ChatState} */
function changeCall(state, id, change) {
  const known = memberOf(state.calls, id) ?? NEW_CALL;
  const isLate = "state" in change && change.state !== known.state && FINAL_STATES.has(known.state);
  return isLate ? state : { ...state, calls: { ...state.calls, [id]: { ...known, ...change } } };
}

/** A call in one of these states stays as it is. */
const FINAL_STATES = new Set(["succeeded", "failed", "denied", "cancelled", "expired", "outcome_unknown"]);

/** @param {string} state @returns {boolean} */
export const isOver = (state) => FINAL_STATES.has(state);

/** @param {string} state @param {string | null} call_id @param {number} at @returns {Partial<LiveCall>} */
function callStateChange(state, call_id, at) {
  return { state, ...(call_id ? { call_id } : {}), ...(state === "running" ? { started_at: at } : {}) };
}

/** @param {Data} data @param {boolean} hasFailed @returns {Partial<LiveCall>} */
function callEndChange({ call_id, duration_ms, result }, hasFailed) {
  const text = typeof result === "string" ? result : JSON.stringify(result ?? null);
  const error = hasFailed ? errorIn(text) : null;
  const state = hasFailed ? stateOfError(error) : "succeeded";
  return { state, error, duration_ms: duration_ms ?? null, result: text, ...(call_id ? { call_id } : {}) };
}

/** Errors that are no failure of the API. @type {Record<string, string>} */
const STATES = dictionaryOf({
  denied: "denied",
  cancelled: "cancelled",
  timeout: "expired",
  outcome_unknown: "outcome_unknown",
});

/** @param {WireError | null} error @returns {string} the state of a call that ended so */
export const stateOfError = (error) => STATES[error?.code ?? ""] ?? "failed";

/** The error that the output of a call is. @param {string | null} text @returns {WireError | null} */
export function errorIn(text) {
  if (text === null || !/^\s*\{\s*"error"\s*:/.test(text)) return null;
  const unnamed = { code: "", message: "", detail: {}, retryable: false };
  try {
    const { error } = JSON.parse(text);
    return typeof error === "object" && error !== null
      ? { ...unnamed, ...error }
      : { ...unnamed, message: String(error) };
  } catch {
    return null;
  }
}

/** @param {ChatState} state @param {import("../types/chat_types.js").ChatNotice} notice @returns {ChatState} */
function addNotice(state, notice) {
  const isKnown = state.notices.some(({ text }) => text === notice.text);
  return isKnown ? state : { ...state, notices: [...state.notices, notice] };
}

/**
 * A message that the page did not know is the newest of the conversation: the bridge's branch ends there.
 * @param {ChatState} state @param {Message} message @returns {ChatState}
 */
function addMessage(state, message) {
  const messages = new Map(state.messages).set(message.id, message);
  const head_id = state.messages.has(message.id) ? state.head_id : message.id;
  const after = { ...state, messages, head_id };
  const isNext = message.role !== "user" && state.run?.parent_id === message.parent_id;
  const draft = message.role === "assistant" ? { reasoning: "", text: "", calls: [] } : {};
  return isNext ? changeRun(after, () => ({ parent_id: message.id, ...draft })) : after;
}

/** @param {ChatState} state @param {Data} data @returns {ChatState} */
function applyRunEnded(state, { run_id, state: word, error }) {
  if (state.run && state.run.run_id !== run_id) return state;
  const head_id = state.run ? state.run.parent_id : state.head_id;
  return { ...state, run: null, head_id, ended: { state: word, error: error ?? null, head_id } };
}
