// @ts-check
/** A call that was begun through the companion by a page that is gone: was it sent? Asked before the bridge is told of it. */

import { CallFailure, failedOutcome } from "../executor/call_failure.js";

/** @typedef {import("../types/types.d.ts").JournalEntry} JournalEntry */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */

const UNSENT = "The bridge page was reloaded before the companion extension sent the request; it was not performed.";
/** It has no secret in it. */
const PLAIN = { redact: (/** @type {string} */ text) => text, isSafe: false };

/**
 * Takes up to three seconds where nobody answers. The companion that says "never" will not send it any more.
 * @param {JournalEntry} entry that was begun
 * @param {Pick<import("./companion_loader.js").LoadedCompanion, "askDid">} companion
 * @returns {Promise<Outcome | null>} null: it may have been sent, or it was not the companion's
 */
export async function proveUnsent({ call_id, companion_epoch }, companion) {
  if (!companion_epoch) return null;
  const was = await companion.askDid(call_id).catch(() => null);
  if (was?.state !== "never" || was.epoch !== companion_epoch) return null;
  return failedOutcome(
    new CallFailure("no_browser", UNSENT, { retryable: true, detail: { transport: "companion" } }),
    PLAIN,
    0,
  );
}
