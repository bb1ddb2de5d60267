// @ts-check
/** Failures to enter that pass by themselves. */

/** The bridge, its database (called store by an older replica) or the replica of this user does not answer. */
const UNANSWERED = new Set([
  "unreachable",
  "database_unavailable",
  "store_unavailable",
  "cluster_unavailable",
  "replica_lost",
]);

/** @param {unknown} failure */
export const codeOf = (failure) => (failure instanceof Error && "code" in failure ? String(failure.code) : "");

/** Whether to try again without being asked. @param {unknown} failure */
export const willPass = (failure) => UNANSWERED.has(codeOf(failure));
