// @ts-check
/** What a worker's approval queue depends on: the runner, the rules, the socket, and the worker's own clocks. */

import { describeCall } from "./approval_preview.js";

/**
 * @param {() => import("./tool_runner.js").ToolRunner} runner
 * @param {import("./approval_policy.js").ApprovalRules} rules
 * @param {() => import("./bridge_socket.js").BridgeSocket} socket
 * @returns {import("./approval_queue.js").ApprovalEnvironment}
 */
export function approvalEnvironment(runner, rules, socket) {
  return {
    describeCall: async (call) => ({ ...(await describeCall(runner(), call)), reason: (await rules.findReason(call)) ?? "bridge" }),
    submitDecision: (callId, decision) => socket().submitDecision(callId, decision),
    grants: rules.grants,
    clock: { monotonic: () => performance.now(), wall: () => Date.now() },
    timers: { set: (...parts) => setTimeout(...parts), clear: (timer) => clearTimeout(timer) },
  };
}
