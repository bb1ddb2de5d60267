// @ts-check
/** Limits and deadlines in words. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";

/** @typedef {import("../types/api_types.js").Limit} Limit */
/** @typedef {import("../types/api_types.js").CallSetting} CallSetting */

/** What a limit means, as a sentence. @param {Limit} limit */
export function meaningOf({ meaning }) {
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}

/** What a number field was filled with: its number, or what the bridge shall complain about. @param {string} text */
export function numberOf(text) {
  const number = Number(text.trim().replace(",", "."));
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

/**
 * Whose deadline holds for calls of a tool, a server (no `operation`) or all servers (no `server_id`).
 * @param {CallSetting[]} settings
 * @param {Limit[]} limits
 * @param {{server_id?: string, operation?: string}} scope
 * @returns {{seconds: number, set_by: import("../types/api_types.js").SetBy}}
 */
export function deadlineOf(settings, limits, { server_id = "", operation = "" }) {
  /** @type {["tool" | "server" | "user", string, string][]} */
  const scopes = [
    ["tool", server_id, operation],
    ["server", server_id, ""],
    ["user", "", ""],
  ];
  for (const [set_by, server, key] of scopes) {
    if ((set_by === "tool" && key === "") || (set_by === "server" && server === "")) continue;
    const seconds = settings.find((each) => each.server_id === server && each.operation === key)?.deadline_s;
    if (seconds !== null && seconds !== undefined) return { seconds, set_by };
  }
  const limit = limits.find(({ name }) => name === "TOOL_TIMEOUT_SECONDS");
  return { seconds: limit?.value ?? 0, set_by: "TOOL_TIMEOUT_SECONDS" };
}

/** @type {Record<string, string>} */
const WHOSE = dictionaryOf({
  call: t`the caller's own deadline for this call`,
  tool: t`the deadline of this tool`,
  server: t`the deadline of its server`,
  user: t`your deadline for all servers`,
  TOOL_TIMEOUT_SECONDS: t`the default of this bridge`,
  TOOL_BATCH_TIMEOUT_SECONDS: t`the end of its batch`,
});

/** @param {unknown} set_by */
export function whoseDeadline(set_by) {
  return WHOSE[String(set_by)] ?? "";
}
