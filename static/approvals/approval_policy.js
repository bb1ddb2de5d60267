// @ts-check
/** Which calls this page asks about, by its own copy of what was accepted and granted here. */

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").ApprovalMode} ApprovalMode */
/** @typedef {import("../types/types.d.ts").PageGrant} PageGrant */
/** @typedef {import("../types/types.d.ts").ReasonToAsk} ReasonToAsk */
/** @typedef {"once" | "chat" | "timed" | "always" | "denied"} Decision */

/** The same as the bridge's (bridge/calls/approval_policy.py). */
export const TIMED_MS = 30 * 60_000;
export const CHAT_MS = 24 * 3_600_000;

/** @param {unknown} mode @returns {mode is ApprovalMode} */
const isMode = (mode) => mode === "safe" || mode === "ask" || mode === "all";

/** @typedef {Pick<ToolCall, "chat_id" | "caller_id">} InChat */

/** Whether a call can be allowed "for this chat": as any caller can name any chat, that means one caller in it. @param {InChat} call */
export const isOfChat = ({ chat_id, caller_id }) => chat_id !== null && Boolean(caller_id);

/** @param {InChat} a @param {InChat} b */
export const isSameChat = (a, b) => isOfChat(a) && a.chat_id === b.chat_id && a.caller_id === b.caller_id;

/**
 * @param {PageGrant} grant
 * @param {ToolCall} call
 * @param {number} now milliseconds since the epoch
 */
function isCovered(grant, call, now) {
  const isIt = grant.server_id === call.server_id && grant.key === call.key && grant.digest === call.digest;
  return (
    isIt && (grant.scope !== "chat" || isSameChat(grant, call)) && (grant.expires_at === null || grant.expires_at > now)
  );
}

/**
 * @param {ApprovalMode} mode
 * @param {boolean} isSafe  of the plan that was accepted here
 * @param {ToolCall} call
 * @param {PageGrant[]} grants of the operation, in this browser
 * @param {number} now milliseconds since the epoch
 * @returns {ReasonToAsk | null} null: the call runs at once
 */
export function reasonToAsk(mode, isSafe, call, grants, now) {
  const asks = mode === "ask" || (mode === "safe" && !isSafe);
  if (!asks || grants.some((grant) => isCovered(grant, call, now))) return call.must_ask ? "bridge" : null;
  if (grants.some(({ scope, digest }) => scope === "always" && digest !== call.digest)) return "changed";
  return isSafe ? "every_call" : "unsafe";
}

/**
 * What a decision is good for beyond its call.
 * @param {Decision} decision
 * @param {ToolCall} call
 * @param {number} now milliseconds since the epoch
 * @returns {PageGrant | null}
 */
export function grantOf(decision, call, now) {
  const { server_id, key, digest, chat_id, caller_id } = call;
  const about = { server_id, key, digest, granted_at: now, chat_id: null, caller_id: "" };
  if (decision === "always") return { ...about, scope: decision, expires_at: null };
  if (decision === "timed") return { ...about, scope: decision, expires_at: now + TIMED_MS };
  if (decision === "chat" && isOfChat(call))
    return { ...about, scope: decision, chat_id, caller_id, expires_at: now + CHAT_MS };
  return null;
}

/** What neither a permission that lasts nor the mode `all` covers: each such call is decided alone. @param {ReasonToAsk} reason */
export const asksEachTime = (reason) => reason === "login" || reason === "file" || reason === "tool";

/** Whether this page asks about a call: the announced mode, its own pins, and its own grants. */
export class ApprovalRules {
  /** @type {import("../types/types.d.ts").ApprovalMode} */
  #mode = "safe";

  /**
   * @param {(serverId: string, key: string) => Promise<import("../types/types.d.ts").Pin | null>} lookup
   * @param {Pick<import("./grants.js").PageGrants, "grantsOf" | "addGrant">} grants
   * @param {Pick<import("../executor/transport_choice.js").TransportChoices, "findVia" | "hasLogins">} choices
   * @param {(call: ToolCall, pin: import("../types/types.d.ts").Pin, readingAsks: boolean) => Promise<boolean>} readsUnsaid  see file_reads.js; must not throw
   * @param {() => number} [now] milliseconds since the epoch
   */
  constructor(lookup, grants, choices, readsUnsaid, now = () => Date.now()) {
    this.lookup = lookup;
    this.grants = grants;
    this.choices = choices;
    this.readsUnsaid = readsUnsaid;
    this.now = now;
  }

  /** What the bridge announced; anything else changes nothing. @param {unknown} mode */
  setMode(mode) {
    if (isMode(mode)) this.#mode = mode;
  }

  /** Never fails: what cannot be read is asked about. @param {ToolCall} call @returns {Promise<ReasonToAsk | null>} */
  async findReason(call) {
    if (await this.#actsAsUser(call)) return "login";
    const pin = await this.lookup(call.server_id, call.key).catch(() => undefined);
    if (pin === undefined) return "unsafe";
    if (pin?.plan.approval === "ask") return "tool";
    if (pin && (await this.readsUnsaid(call, pin, this.#mode === "ask"))) return "file";
    if (this.#mode === "all") return call.must_ask ? "bridge" : null;
    const isSafe = pin?.plan.safe === true;
    if (isSafe && this.#mode === "safe") return call.must_ask ? "bridge" : null;
    return reasonToAsk(this.#mode, isSafe, call, await this.grants.grantsOf(call.server_id, call.key), this.now());
  }

  /** What is changed with the user's login is no less than his own act: no permission that lasts covers it. @param {ToolCall} call */
  async #actsAsUser({ server_id, key }) {
    try {
      if (!(await this.choices.hasLogins())) return false;
      const pin = await this.lookup(server_id, key);
      return pin !== null && !pin.plan.safe && (await this.choices.findVia(server_id, pin.origin)).login;
    } catch {
      return true;
    }
  }
}
