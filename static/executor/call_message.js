// @ts-check
/** The message of a call and its ack, in the words of the wire. Pure. */

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").CallError} CallError */

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
    attempt: Number(call.bridge?.attempt) || 1,
    must_ask: call.bridge?.approval === "needed",
    approval_ms: Number(call.bridge?.approval_ms) || 120_000,
    chat_id: message.chat_id ?? call.bridge?.chat_id ?? null,
  };
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
