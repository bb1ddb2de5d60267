// @ts-check
/** What an MCP server says of its own tools, in words. Nobody checks it, and nothing is decided by it. Pure. */

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */

/** @type {[string, string, string][]} */
const HINTS = [
  ["readOnlyHint", "only reads", "can change something"],
  ["destructiveHint", "may delete or overwrite", "deletes nothing"],
  ["idempotentHint", "twice is as once", "twice is not as once"],
  ["openWorldHint", "reaches other systems", "stays within its own"],
];

/** @param {RequestPlan | undefined} plan @returns {string[]} empty for a request of an API */
export function claimsOf(plan) {
  const annotations = plan?.tool?.annotations;
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) return [];
  return HINTS.flatMap(([name, yes, no]) => (annotations[name] === true ? [yes] : annotations[name] === false ? [no] : []));
}
