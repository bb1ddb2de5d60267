// @ts-check
/**
 * A page without a person: `tool-bridge page` drives this browser and answers what a person would be asked, from its policy.
 * The driver is known by a function that stands in the page before any script of it runs, which only the browser's own
 * debugging pipe can put there; without one, none of this is loaded.
 */
import { openCallChannel } from "../executor/call_log.js";
import { PolicyKeeper } from "./policy_keeper.js";
import { answerCards } from "./card_answers.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/unattended_types.d.ts").Policy} Policy */
/** @typedef {import("../types/unattended_types.d.ts").Report} Report */

export class UnattendedPage {
  /** @type {(policy: Policy) => Promise<void>} */
  #takePolicy = async () => undefined;
  /** @type {Parts | null} */
  #parts = null;

  /** @param {import("../types/unattended_types.d.ts").Tell} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {import("../types/unattended_types.d.ts").DrivenPage} */
    const driven = {
      applyPolicy: (policy) => this.#takePolicy(policy),
      drainCalls: async () => this.#parts?.executor.drainCalls(),
      pingExecutor: async () => (this.#parts ? pingExecutor(this.#parts.userId) : undefined),
    };
    Object.defineProperty(globalThis, "toolBridgePage", { value: Object.freeze(driven), configurable: true });
  }

  /** @param {unknown} failure */
  reportEntrance(failure) {
    this.#parts = null;
    const { code = "internal", message = String(failure) } = /** @type {{code?: string, message?: string}} */ (failure);
    this.#report({ type: "entrance", code, message });
  }

  /** @param {import("../connection/pairing_code.js").ShownCode} shown */
  reportCode({ code, ends_at }) {
    this.#report({ type: "code", code, ends_at });
  }

  /**
   * Waits for the driver's policy and applies it once; the page takes calls after that.
   * @param {Parts} parts
   * @returns {Promise<{stop: () => void}>}
   */
  async enter(parts) {
    this.#parts = parts;
    const keeper = new PolicyKeeper(parts, (report) => this.#report({ type: "policy", ...report }));
    await new Promise((resolve) => {
      this.#takePolicy = (policy) => keeper.applyPolicy(policy).finally(() => resolve(true));
      this.#report({ type: "entered", user: parts.user });
    });
    const ends = [answerCards(parts.executor, keeper), parts.inventory.onChange(() => void keeper.applyAgain())];
    ends.push(
      parts.executor.onState((state) => this.#reportState(state)),
      () => keeper.stop(),
    );
    const stop = () => {
      for (const end of ends) end();
    };
    return { stop };
  }

  /** @param {import("../types/types.d.ts").ExecutorState} state */
  #reportState({ role, connection, error, running }) {
    this.#report({ type: "state", role, connection, error: error?.message ?? "", running });
  }

  /** @param {Report} report */
  #report(report) {
    this.tell(JSON.stringify(report));
  }
}

/** Whoever has the executor answers a recap. @param {string} userId @returns {Promise<void>} */
function pingExecutor(userId) {
  const channel = openCallChannel(userId);
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data.type !== "state") return;
      channel.close();
      resolve();
    };
    channel.postMessage({ type: "recap" });
  });
}
