// @ts-check
/** Answers the cards of waiting calls at once, as the policy says: nobody else will. */

import { asksEachTime } from "../approvals/approval_policy.js";

/** @typedef {import("../types/types.d.ts").WaitingCard} WaitingCard */
/** @typedef {{approves: (serverId: string, key: string, isSafe: boolean) => boolean}} Approver */

/**
 * A call that may have been performed already, one that acts with a person's login and one that takes a file from one API to
 * another are a person's to decide.
 * @param {WaitingCard} card @param {Approver} policy
 */
export function mayRun({ server_id, key, is_safe, doubted, reason }, policy) {
  return doubted === null && !asksEachTime(reason) && policy.approves(server_id, key, is_safe);
}

/**
 * @param {Pick<import("../session/executor_client.js").ExecutorClient, "onCards" | "decideCalls">} executor
 * @param {Approver} policy
 * @returns {() => void} ends it
 */
export function answerCards(executor, policy) {
  return executor.onCards((cards) => {
    for (const card of cards) executor.decideCalls([card.call_id], mayRun(card, policy) ? "once" : "denied", "policy");
  });
}
