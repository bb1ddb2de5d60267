// @ts-check
/** What an MCP server says of its own tools, as codes for `claim_labels.js`. No one checks it, and nothing is decided by it. Pure. */

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** @param {RequestPlan | undefined} plan @returns {string[]} a hint with its value, for example `readOnlyHint true`; empty for a request of an API */
export function claimsOf(plan) {
  const annotations = plan?.tool?.annotations;
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) return [];
  return HINTS.flatMap((name) => (typeof annotations[name] === "boolean" ? [`${name} ${annotations[name]}`] : []));
}
