// @ts-check
/** Which calls a reader wants to see: as the address of the view says it, and as the bridge is asked. Pure. */

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("./call_list.js").ListedCall} ListedCall */
/** @typedef {"running" | "good" | "bad" | "not_made" | "refused"} CallKind */
/** @typedef {{text: string, state: string, asker: string, server: string, hours: string}} CallFilter  "" = any */

/** @type {(keyof CallFilter)[]} */
const NAMES = ["text", "state", "asker", "server", "hours"];
const HOUR_MS = 3_600_000;

/** What an ended call may be, as the bridge stores it. */
const STORED_KINDS = new Set(["good", "bad", "not_made"]);

/** @param {URLSearchParams} query of the view's address @returns {CallFilter} */
export function readFilter(query) {
  const [text, state, asker, server, hours] = NAMES.map((name) => query.get(name) ?? "");
  return { text, state, asker, server, hours: /^\d{1,4}$/.test(hours) ? hours : "" };
}

/** @param {CallFilter} filter @returns {string} the end of the view's address; "" for all calls */
export function filterQuery(filter) {
  const set = NAMES.filter((name) => filter[name].trim() !== "");
  const query = new URLSearchParams(set.map((name) => [name, filter[name].trim()])).toString();
  return query === "" ? "" : `?${query}`;
}

/** Stays the same until the clock strikes the next full minute, so that the list's end does not wander. @param {string} hours @param {number} now in ms */
const sinceOf = (hours, now) => (hours === "" ? 0 : Math.floor(now / 60_000) * 60_000 - Number(hours) * HOUR_MS);

/**
 * What of a list the bridge is asked for.
 * @param {CallFilter} filter
 * @param {number} now in ms
 * @returns {URLSearchParams | null} null: it stores nothing of that kind
 */
export function historyQuery({ text, state, asker, server, hours }, now) {
  if (state !== "" && state !== "running" && !STORED_KINDS.has(state)) return null;
  const query = new URLSearchParams();
  if (state === "running") query.set("open", "true");
  else if (state !== "") query.set("state", state);
  if (text.trim() !== "") query.set("text", text.trim().slice(0, 200));
  if (asker !== "") query.set("asker", asker);
  if (server !== "") query.set("server", server);
  if (hours !== "") query.set("since", String(sinceOf(hours, now) / 1000));
  return query;
}

/** @param {ListedCall} call @param {CallFilter} filter @param {number} now in ms */
export function matchesFilter(call, { text, state, asker, server, hours }, now) {
  const facts = call.live ?? call.stored ?? call.refused;
  const serverId = call.live?.server_id ?? call.stored?.server ?? call.refused?.server;
  return (
    (state === "" || kindOf(call) === state) &&
    (asker === "" || facts?.asked_by === asker) &&
    (server === "" || serverId === server) &&
    call.at >= sinceOf(hours, now) &&
    textOf(call).includes(text.trim().toLowerCase())
  );
}

/** @param {ListedCall} call */
function textOf({ live, stored, refused }) {
  const parts = [
    live &&
      `${live.tool} ${live.key} ${live.request?.method ?? ""} ${live.request?.url ?? ""} ${live.error?.code ?? ""}`,
    live && String(live.response?.http_status ?? ""),
    stored && `${stored.tool} ${stored.operation} ${stored.http_status ?? ""} ${stored.error?.code ?? ""}`,
    refused && `${refused.tool} ${refused.code}`,
  ];
  return parts.filter(Boolean).join(" ").toLowerCase();
}

/** Whether a call has not ended. @param {CallEntry["state"]} state */
export const isOpen = (state) => state !== "answered" && state !== "failed";

/** Codes of calls that ended because somebody wanted it so. */
const NOT_MADE = new Set(["denied", "cancelled"]);

/** @param {ListedCall} call @returns {CallKind} */
export function kindOf({ live, stored }) {
  if (live) return kindOfEntry(live);
  return stored ? kindOfStored(stored) : "refused";
}

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

/** The same of a call that the bridge stores. @param {Pick<import("../types/api_types.js").StoredCall, "state" | "ended_at">} call */
export function kindOfStored({ state, ended_at }) {
  if (ended_at === null) return "running";
  return NOT_MADE.has(state) ? "not_made" : state === "succeeded" ? "good" : "bad";
}
