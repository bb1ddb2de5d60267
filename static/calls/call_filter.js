// @ts-check
/** Which calls of the log a reader wants to see. Pure. */

/** @typedef {import("../types/types.js").CallEntry} CallEntry */

/**
 * @param {CallEntry} entry
 * @param {{text: string, state: string}} filter state: "" = any
 */
export function matchesFilter(entry, { text, state }) {
  const seen =
    `${entry.tool} ${entry.request?.method ?? ""} ${entry.request?.url ?? ""} ${entry.response?.http_status ?? ""}`.toLowerCase();
  return seen.includes(text.trim().toLowerCase()) && (state === "" || kindOfEntry(entry) === state);
}

/** Whether a call has not ended. @param {CallEntry["state"]} state */
export const isOpen = (state) => state !== "answered" && state !== "failed";

/**
 * Kinds of calls that a reader distinguishes: an answer of the API that is an error counts as a failure.
 * @param {CallEntry} entry
 * @returns {"running" | "good" | "bad"}
 */
export function kindOfEntry({ state, response }) {
  if (isOpen(state)) return "running";
  return state === "answered" && (response?.http_status ?? 0) < 400 ? "good" : "bad";
}
