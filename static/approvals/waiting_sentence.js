// @ts-check
/** A sentence to announce calls that have begun to wait. Pure. */
import { t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @param {import("../types/types.js").WaitingCard[]} fresh @param {(serverId: string) => string} titleOf */
export function waitingSentence(fresh, titleOf) {
  const [{ tool, server_id, method }] = fresh;
  if (fresh.length > 1) return t`${fresh.length} calls are waiting for your approval.`;
  return t`A call is waiting for your approval: ${truncateLine(method)} ${truncateLine(tool)} at ${truncateLine(titleOf(server_id))}.`;
}
