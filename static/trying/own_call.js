// @ts-check
/** One call that its user makes in the form of a tool: asked for, watched while it runs, and stopped. */
import { stringifyJson } from "../base/json_text.js";
import { AnswerStream } from "./answer_stream.js";
import { approveOwnRun, findOwnRun, watchOwnRun } from "./own_run.js";

/** @typedef {import("../types/api_types.js").CallReport} CallReport */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */

/** @param {CallEntry} entry */
const isOpen = ({ state }) => state === "waiting" || state === "queued" || state === "running";

export class OwnCall {
  #controller = new AbortController();
  #isStopping = false;

  /**
   * @param {import("../types/view_types.js").Parts} parts
   * @param {import("../types/api_types.js").FullTool} tool
   * @param {JsonObject} value the arguments
   */
  constructor(parts, tool, value) {
    this.parts = parts;
    this.tool = tool;
    this.value = value;
    this.before = new Set(parts.executor.calls.map(({ call_id }) => call_id));
    this.asked_at = Date.now();
    this.stream = new AnswerStream(parts.userId, () => this.entry?.call_id);
  }

  /** Whether its user gave it up before the bridge could say how it ended. */
  get isGivenUp() {
    return this.#controller.signal.aborted;
  }

  /** What this browser logs of it; undefined until it arrives here, and where another browser performs it. @returns {CallEntry | undefined} */
  get entry() {
    return findOwnRun(this.parts.executor.calls, this.tool, this.before);
  }

  /**
   * @param {import("./own_run.js").Allowance | null} allowance of the user's press; null: there was none
   * @param {string | undefined} select a query of the answer
   * @returns {Promise<CallReport>}
   */
  async performCall(allowance, select) {
    const { parts, tool, value } = this;
    const endApproval = allowance ? approveOwnRun(parts, tool, value, allowance) : () => undefined;
    const endWatch = watchOwnRun(parts, tool, this.before, (words) => this.stream.showWords(words));
    try {
      return await parts.api.callTool(tool.name, stringifyJson(value), this.#controller.signal, select);
    } finally {
      endWatch();
      endApproval();
      this.stream.endStream();
    }
  }

  /** What this browser logs of it once it has ended: that news may come after the bridge's. Never settles where another browser performs it. @returns {Promise<CallEntry>} */
  get ended() {
    return new Promise((resolve) => {
      const look = () => {
        const { entry } = this;
        if (entry === undefined || isOpen(entry)) return;
        end();
        resolve(entry);
      };
      const end = this.parts.executor.onCall(look);
      look();
    });
  }

  /**
   * Ends it, so that the bridge learns how: what has come of a stream is its answer, anything else is cancelled. Where that takes too long
   * for its user, the second time gives it up.
   */
  stopCall() {
    const { entry, stream } = this;
    if (!entry || this.#isStopping) return this.#controller.abort();
    this.#isStopping = true;
    this.parts.executor.cancelCall(entry.call_id, stream.progress?.stream ? "finish" : "cancel");
  }

  /** Its view is left. */
  giveUp() {
    this.#controller.abort();
  }
}
