// @ts-check
/** Whether this page asks about a call: the announced mode, its own pins, and its own grants. */

import { isMode, reasonToAsk } from "./approval_policy.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").ReasonToAsk} ReasonToAsk */

export class ApprovalRules {
  /** @type {import("../types/types.d.ts").ApprovalMode} */
  #mode = "safe";

  /**
   * @param {(serverId: string, key: string) => Promise<import("../types/types.d.ts").Pin | null>} lookup
   * @param {Pick<import("./grants.js").PageGrants, "of" | "add">} grants
   * @param {() => number} [now] milliseconds since the epoch
   */
  constructor(lookup, grants, now = () => Date.now()) {
    this.lookup = lookup;
    this.grants = grants;
    this.now = now;
  }

  /** What the bridge announced; anything else changes nothing. @param {unknown} mode */
  setMode(mode) {
    if (isMode(mode)) this.#mode = mode;
  }

  /** Never fails: what cannot be read is asked about. @param {ToolCall} call @returns {Promise<ReasonToAsk | null>} */
  async reason(call) {
    if (this.#mode === "all") return call.must_ask ? "bridge" : null;
    const pin = await this.lookup(call.server_id, call.key).catch(() => null);
    const isSafe = pin?.plan.safe === true;
    if (isSafe && this.#mode === "safe") return call.must_ask ? "bridge" : null;
    return reasonToAsk(this.#mode, isSafe, call, await this.grants.of(call.server_id, call.key), this.now());
  }
}
