// @ts-check
/**
 * The socket to the bridge: the only importer of socket.io. Turns wire events into sentences for a delegate and keeps
 * every result until the bridge has confirmed it, across reconnects. Knows no HTTP, no plans and no secrets.
 */

import { io } from "./vendor/socket.io-4.8.4.esm.min.js";

/** @typedef {import("./types.d.ts").ToolCall} ToolCall */
/** @typedef {import("./types.d.ts").CallError} CallError */
/** @typedef {import("./types.d.ts").Outcome} Outcome */
/** @typedef {import("./types.d.ts").Connection} Connection */
/** @typedef {import("./vendor/socket.io-4.8.4.esm.min.js").Socket} Socket */
/** @typedef {{code: string, message: string, retryable?: boolean}} Problem */
/**
 * @typedef {object} BridgeSocketDelegate
 * @property {(connection: Connection, problem: Problem | null) => void} connectionChanged
 * @property {(limits: Record<string, number>) => void} limitsAnnounced
 * @property {(call: ToolCall) => Promise<CallError | null>} refusalOf  asked before a call is accepted; must not throw
 * @property {(call: ToolCall) => void} callArrived                    once per attempt, after it was accepted
 * @property {(callId: string, reason: string) => void} callCancelled
 * @property {() => void} serversChanged
 * @property {() => void} resultsConfirmed                             the outbox got shorter
 */

const PROTOCOL = 1;
const PATH = "/ws/socket.io";
const RECONNECT_FIRST_MS = 200;
const RECONNECT_LAST_MS = 5000;
const HELLO_TIMEOUT_MS = 10_000;
/** How many call ids are remembered, so that a call sent twice is run once. */
const REMEMBERED_CALLS = 1000;

/** @param {unknown} value */
const textOf = (value) => (typeof value === "string" ? value : "");

/**
 * @param {any} message an `events` payload
 * @returns {ToolCall | null} null: not a tool call for us
 */
export function readCall(message) {
  const call = message?.data?.type === "execute:tool" ? message.data.data : null;
  if (!call || !textOf(call.id) || !textOf(call.server?.id)) return null;
  return {
    call_id: call.id,
    tool: textOf(call.bridge?.tool) || textOf(call.name),
    server_id: call.server.id,
    key: textOf(call.name),
    digest: textOf(call.server.digest),
    params: textOf(call.params),
    deadline_ms: Number(call.bridge?.deadline_ms) || 60_000,
    result_token: textOf(call.bridge?.result_token),
    attempt: Number(call.bridge?.attempt) || 1,
    chat_id: message.chat_id ?? call.bridge?.chat_id ?? null,
  };
}

export class BridgeSocket {
  /** @type {Map<string, Outcome>} */
  #outbox = new Map();
  /** The last attempt of each call. @type {Map<string, number>} */
  #seen = new Map();
  #isGreeted = false;
  #mustRenew = false;
  #failures = 0;
  /** @type {Problem | null} */
  #identityProblem = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;

  /**
   * @param {object} parts
   * @param {string} parts.url                      origin of the bridge
   * @param {import("./identity.js").Identity} parts.identity
   * @param {() => {page_id: string, visibility: string}} parts.introduce
   * @param {BridgeSocketDelegate} parts.delegate
   */
  constructor({ url, identity, introduce, delegate }) {
    this.identity = identity;
    this.introduce = introduce;
    this.delegate = delegate;
    this.socket = io(url, {
      path: PATH,
      transports: ["websocket"],
      autoConnect: false,
      forceNew: true,
      reconnectionDelay: RECONNECT_FIRST_MS,
      reconnectionDelayMax: RECONNECT_LAST_MS,
      auth: (give) => void this.#authorize(give),
    });
    this.#listen();
  }

  start() {
    this.delegate.connectionChanged("connecting", null);
    this.socket.connect();
  }

  stop() {
    clearTimeout(this.#retry);
    this.#isGreeted = false;
    this.socket.disconnect();
    this.delegate.connectionChanged("offline", null);
  }

  /** How many results the bridge has not confirmed yet. */
  get unconfirmed() {
    return this.#outbox.size;
  }

  /**
   * Sent now, or as soon as the bridge is there again; sent once more after every reconnect until it is confirmed.
   * @param {string} callId
   * @param {Outcome} outcome
   */
  sendResult(callId, outcome) {
    this.#outbox.set(callId, outcome);
    if (this.#isGreeted) this.socket.emit("bridge:result", { call_id: callId, outcome });
  }

  #listen() {
    this.socket.on("connect", () => void this.#greet());
    this.socket.on("connect_error", (error) => this.#refused(error));
    this.socket.on("disconnect", (reason) => this.#lost(reason));
    this.socket.on("events", (message, ack) => void this.#received(message, ack));
    this.socket.on("cancel:tool", (cancel) =>
      this.delegate.callCancelled(textOf(cancel?.call_id), textOf(cancel?.reason)),
    );
    this.socket.on("bridge:receipt", (receipt) => this.#confirmed(receipt?.call_ids ?? []));
    this.socket.on("bridge:servers", () => this.delegate.serversChanged());
  }

  /** @param {(auth: Record<string, unknown>) => void} give */
  async #authorize(give) {
    this.#identityProblem = null;
    try {
      const token = await (this.#mustRenew ? this.identity.renew() : this.identity.token());
      this.#mustRenew = false;
      give({ token });
    } catch (error) {
      const { code = "internal", message, retryable = false } = /** @type {any} */ (error);
      this.#identityProblem = { code, message, retryable };
      give({ token: "" });
    }
  }

  async #greet() {
    const sid = this.socket.id;
    try {
      const hello = { protocol: PROTOCOL, ...this.introduce() };
      const answer = await this.socket.timeout(HELLO_TIMEOUT_MS).emitWithAck("bridge:hello", hello);
      if (sid !== this.socket.id) return;
      if (answer?.error) this.#giveUp(answer.error);
      else this.#welcomed(answer?.limits ?? {});
    } catch {
      if (sid === this.socket.id) this.#startOver();
    }
  }

  /** @param {Record<string, number>} limits */
  #welcomed(limits) {
    this.#failures = 0;
    this.#isGreeted = true;
    this.delegate.limitsAnnounced(limits);
    this.delegate.connectionChanged("online", null);
    for (const [call_id, outcome] of this.#outbox) this.socket.emit("bridge:result", { call_id, outcome });
  }

  /** @param {Problem} problem */
  #giveUp(problem) {
    this.#isGreeted = false;
    this.socket.disconnect();
    this.delegate.connectionChanged("refused", problem);
  }

  /** @param {any} error */
  #refused(error) {
    this.#isGreeted = false;
    const problem = this.#identityProblem ?? error?.data ?? null;
    if (this.#identityProblem && !this.#identityProblem.retryable) {
      this.#giveUp(this.#identityProblem);
      return;
    }
    this.#mustRenew = problem?.code === "unauthorized";
    this.delegate.connectionChanged("connecting", problem && { code: problem.code, message: problem.message });
    if (!this.socket.active) this.#connectLater();
  }

  /** @param {string} reason */
  #lost(reason) {
    this.#isGreeted = false;
    if (reason === "io client disconnect") return;
    this.delegate.connectionChanged("connecting", null);
    if (!this.socket.active) this.#connectLater();
  }

  #startOver() {
    this.socket.disconnect();
    this.delegate.connectionChanged("connecting", null);
    this.#connectLater();
  }

  /** socket.io itself tries again only after transport failures, not after a refusal or a server's disconnect. */
  #connectLater() {
    const delay = Math.min(RECONNECT_LAST_MS, RECONNECT_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.socket.connect(), delay);
  }

  /**
   * The ack says at once whether the call is taken; it always names its call, because ack numbers restart with every
   * connection, and it is not sent at all on another connection than the one that asked.
   * @param {unknown} message
   * @param {unknown} ack
   */
  async #received(message, ack) {
    const call = readCall(message);
    if (!call) return;
    const sid = this.socket.id;
    const isNew = call.attempt > (this.#seen.get(call.call_id) ?? 0);
    this.#remember(call);
    const error = isNew ? await this.delegate.refusalOf(call) : null;
    if (typeof ack === "function" && this.socket.id === sid)
      ack(error ? { call_id: call.call_id, error } : { call_id: call.call_id });
    if (error) return;
    if (isNew) this.delegate.callArrived(call);
    else this.#repeat(call.call_id);
  }

  /** @param {ToolCall} call */
  #remember({ call_id, attempt }) {
    this.#seen.set(call_id, Math.max(attempt, this.#seen.get(call_id) ?? 0));
    if (this.#seen.size > REMEMBERED_CALLS) this.#seen.delete(/** @type {string} */ (this.#seen.keys().next().value));
  }

  /** @param {string} callId */
  #repeat(callId) {
    const outcome = this.#outbox.get(callId);
    if (outcome && this.#isGreeted) this.socket.emit("bridge:result", { call_id: callId, outcome });
  }

  /** @param {string[]} callIds */
  #confirmed(callIds) {
    for (const callId of callIds) this.#outbox.delete(callId);
    this.delegate.resultsConfirmed();
  }
}
