// @ts-check
/** Messages and events of a conversation, for tests. */

/** @typedef {import("../../../static/types/chat_types.js").Message} Message */

const AT = "2026-11-22T10:00:00.000Z";

/** @param {string} type @param {Record<string, unknown>} data */
export const event = (type, data) => ({ type, timestamp: AT, data });

/** @param {string} id @param {string | null} parent_id @param {string} content @returns {Message} */
export const asked = (id, parent_id, content) => ({ id, parent_id, role: "user", content, timestamp: AT });

/** @param {string} id @param {string} parent_id @param {string | null} content @param {string[]} [calls] @returns {Message} */
export function answered(id, parent_id, content, calls = []) {
  const tool_calls = calls.map((name) => ({ id: name, function: { name, arguments: "{}" } }));
  return { id, parent_id, role: "assistant", content, timestamp: AT, tool_calls };
}

/** @param {string} id @param {string} parent_id @param {string} tool_call_id @param {string} content @returns {Message} */
export const output = (id, parent_id, tool_call_id, content) => ({ id, parent_id, role: "tool", content, timestamp: AT, tool_call_id, name: tool_call_id });

const hello = asked("m1", null, "Hi");

export const story = {
  begin: [event("message", { message: hello }), event("run_started", { run_id: "r1", model: "demo", user_message: hello, parent_id: "m1" })],
  end: event("run_ended", { run_id: "r1", state: "completed", error: null, usage: {} }),
};
