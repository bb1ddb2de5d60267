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

/** Codes of calls that ended because somebody wanted it so. */
const NOT_MADE = new Set(["denied", "cancelled"]);

/**
 * Kinds of calls that a reader distinguishes: an answer of the API that is an error counts as a failure, what was denied
 * or cancelled does not.
 * @param {Pick<CallEntry, "state" | "response" | "error">} entry
 * @returns {"running" | "good" | "bad" | "not_made"}
 */
export function kindOfEntry({ state, response, error }) {
  if (isOpen(state)) return "running";
  if (NOT_MADE.has(error?.code ?? "")) return "not_made";
  return state === "answered" && (response?.http_status ?? 0) < 400 ? "good" : "bad";
}

/** The same of a call that the bridge stores. @param {import("../types/api_types.js").StoredCall["state"]} state */
export const kindOfStored = (state) => (NOT_MADE.has(state) ? "not_made" : state === "succeeded" ? "good" : "bad");
