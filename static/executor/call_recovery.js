// @ts-check
/** Recovery of calls after reconnects and reloads: what this browser lists in its handshake, and what it reports then. */

import { withoutBody } from "./call_message.js";

/** @typedef {import("../types/types.d.ts").ListedCall} ListedCall */
/** @typedef {import("../types/types.d.ts").JournalEntry} JournalEntry */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../types/types.d.ts").Upload} Upload */
/**
 * @typedef {object} Reporter
 * @property {(callId: string, outcome: Outcome) => void} sendResult   until it is confirmed
 * @property {(entry: {call_id: string, result_token: string}, upload: Upload) => Promise<void>} upload  may fail
 * @property {(entry: JournalEntry) => Promise<Outcome | null>} proveUnsent  of a call that was begun; null: it cannot be proven
 */

export class CallRecovery {
  /** @type {JournalEntry[]} */
  #left = [];
  /** By id: asked once, however often the page connects. @type {Map<string, Promise<Outcome | null>>} */
  #asked = new Map();

  /**
   * @param {import("./call_journal.js").CallJournal} journal
   * @param {Reporter} mouth
   */
  constructor(journal, mouth) {
    this.journal = journal;
    this.reporter = mouth;
  }

  /** Calls that dead workers of this browser left, for the handshake. @returns {Promise<{alive: string[], calls: ListedCall[]}>} */
  async listCalls() {
    const { left, alive } = await this.journal.inheritEntries();
    this.#left = await Promise.all(left.map((entry) => this.#settle(entry)));
    return {
      alive,
      calls: this.#left.map(({ call_id, state }) => ({ call_id, state: state === "done" ? "done" : "lost" })),
    };
  }

  /** @param {JournalEntry} entry */
  async #settle(entry) {
    if (entry.state !== "begun") return entry;
    const asked = this.#asked.get(entry.call_id) ?? this.reporter.proveUnsent(entry);
    this.#asked.set(entry.call_id, asked);
    const outcome = await asked;
    return outcome ? this.journal.settleEntry(entry, outcome) : entry;
  }

  /**
   * The bridge has read the list: lost calls need not be listed again, and outcomes of finished ones are sent now.
   * @param {string[]} closed calls that have ended for the bridge; it takes no body for them any more
   */
  async reportCalls(closed) {
    const left = this.#left.splice(0);
    await this.journal.forgetCalls(left.flatMap(({ call_id, state }) => (state === "begun" ? [call_id] : [])));
    for (const entry of left)
      if (entry.outcome) await this.#reportOutcome(entry, entry.outcome, closed.includes(entry.call_id));
  }

  /** @param {JournalEntry} entry @param {Outcome} outcome @param {boolean} isClosed */
  async #reportOutcome(entry, outcome, isClosed) {
    const isThere =
      !entry.upload ||
      (!isClosed &&
        (await this.reporter.upload(entry, entry.upload).then(
          () => true,
          () => false,
        )));
    this.reporter.sendResult(entry.call_id, isThere || outcome.status === "failed" ? outcome : withoutBody(outcome));
  }
}
