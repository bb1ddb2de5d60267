// @ts-check
/**
 * The socket to the bridge: the only importer of socket.io. Turns wire events into sentences for a delegate and keeps
 * every result until the bridge has confirmed it, across reconnects. Knows no HTTP, no plans and no secrets.
 */

import { SOCKET_PATH } from "../base/bridge_paths.js";
import { CallArrivals, cancelSentence, readCall, textOf } from "../executor/call_message.js";
import { BlockedSocket } from "../causes/blocked_socket.js";
import { io } from "../vendor/socket.io-4.8.4.esm.min.js";
import { Reconnection } from "./reconnection.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../types/types.d.ts").Outcome} Outcome */
/** @typedef {import("../types/types.d.ts").Connection} Connection */
/** @typedef {import("../types/types.d.ts").Introduction} Greeting */
/** @typedef {import("../types/types.d.ts").ListedCall} ListedCall */
/** @typedef {import("../types/socket_types.d.ts").Decision} Decision */
/** @typedef {import("../types/socket_types.d.ts").DecisionReply} DecisionReply */
/** @typedef {import("../types/socket_types.d.ts").Problem} Problem */
/** @typedef {import("../types/socket_types.d.ts").Welcome} Welcome */
/** @typedef {import("../types/socket_types.d.ts").SocketDelegate & import("../executor/call_message.js").ArrivalDelegate} BridgeSocketDelegate */

const PROTOCOL = 2;
const DECISION_TIMEOUT_MS = 10_000;
/** Maximum number of calls that a handshake lists. */
const LISTED_CALLS = 1000;
/** Events without content that say what has changed. @type {import("../types/types.d.ts").Subject[]} */
const SUBJECTS = ["servers", "devices", "breakers", "calls"];
const NOT_STARTED = { may_begin: false, awaiting_slot: false, deadline_ms: 0 };

export class BridgeSocket {
  /** @type {Map<string, Outcome>} */
  #outbox = new Map();
  /** Decisions that the bridge has not answered. @type {Map<string, {decision: Decision, answer: (reply: DecisionReply) => void}>} */
  #decisions = new Map();
  /** Calls that the last handshake named. @type {ListedCall[]} */
  #listed = [];
  #attempts = 0;
  #isReady = false;
  #mustRenew = false;
  /** @type {Problem | null} */
  #identityProblem = null;
  #blockage = new BlockedSocket((input, init) => fetch(input, init));
  #reconnection = new Reconnection({
    connect: (isLed) => this.#connect(isLed),
    giveUp: (cause) => this.#reconnect(cause),
  });

  /**
   * @param {{url: string, identity: import("./session_tokens.js").SessionTokens, introduce: () => Promise<Greeting>, delegate: BridgeSocketDelegate}} parts
   *   `url`: origin of the bridge; `introduce`: who connects, and its calls except those in the outbox
   */
  constructor({ url, identity, introduce, delegate }) {
    this.identity = identity;
    this.introduce = introduce;
    this.delegate = delegate;
    this.arrivals = new CallArrivals(delegate, (callId) => this.#outbox.has(callId));
    this.socket = io(url, {
      path: SOCKET_PATH,
      transports: ["websocket"],
      autoConnect: false,
      forceNew: true,
      reconnection: false, // it would try again after transport failures only, and knows no beats
      auth: (give) => void this.#authorize(give),
    });
    this.#listen();
  }

  start() {
    this.delegate.connectionChanged("connecting", null);
    this.#reconnection.connectNow();
  }

  stop() {
    this.#attempts += 1;
    this.#reconnection.stop();
    this.#isReady = false;
    this.socket.disconnect();
    this.delegate.connectionChanged("offline", null);
  }

  /** How many results the bridge has not confirmed yet. */
  get unconfirmedCount() {
    return this.#outbox.size;
  }

  /** Whether the handshake of this connection is complete. */
  get isConnected() {
    return this.#isReady;
  }

  /**
   * Sends what the user decided until the bridge has answered, again after every reconnect. Never rejects; a decision
   * that the bridge does not understand starts nothing, and neither does one that the user has withdrawn since.
   * @param {string} callId @param {Decision} decision @returns {Promise<DecisionReply>}
   */
  submitDecision(callId, decision) {
    this.#decisions.get(callId)?.answer(NOT_STARTED);
    return new Promise((resolve) => {
      const answer = (/** @type {DecisionReply} */ reply) => void (this.#decisions.delete(callId) && resolve(reply));
      this.#decisions.set(callId, { decision, answer });
      if (this.#isReady) void this.#sendDecision(callId);
    });
  }

  /**
   * Sends the result now, or as soon as the bridge is connected again; and after every reconnect until it is confirmed.
   * @param {string} callId
   * @param {Outcome} outcome
   */
  sendResult(callId, outcome) {
    this.#outbox.set(callId, outcome);
    if (this.#isReady) this.socket.emit("bridge:result", { call_id: callId, outcome });
  }

  /** Sent only when it changed since the handshake, which states it too. @param {string} visibility */
  sendVisibility(visibility) {
    if (this.#isReady) this.socket.emit("bridge:visibility", { visibility });
  }

  #listen() {
    this.socket.io.on("packet", () => this.#reconnection.noteMessage());
    this.socket.io.on("open", () => {
      this.#reconnection.noteOpened();
      this.#blockage.noteOpened();
    });
    this.socket.on("connect", () => this.#reconnection.noteConnected());
    this.socket.on("bridge:beat", (beat) => this.#reconnection.extendPatience(Number(beat?.silence_s) || 0));
    this.socket.on("bridge:moved", () => this.#reconnect("moved"));
    this.socket.on("bridge:welcome", (answer) => this.#handleWelcome(answer ?? {}));
    this.socket.on("connect_error", (error) => this.#handleConnectError(error));
    this.socket.on("disconnect", (reason) => this.#handleDisconnect(reason));
    this.socket.on("events", (message, ack) => void this.#handleCall(message, ack));
    this.socket.on("cancel:tool", (cancel) =>
      this.delegate.callCancelled(textOf(cancel?.call_id), cancelSentence(cancel?.reason)),
    );
    this.socket.on("bridge:slot", (slot) => this.delegate.slotGranted(textOf(slot?.call_id)));
    this.socket.on("bridge:receipt", (receipt) => this.#handleReceipt(receipt?.call_ids ?? []));
    this.socket.on("bridge:approvals", (news) => this.delegate.approvalModeAnnounced(news?.approval_mode));
    for (const subject of SUBJECTS) this.socket.on(`bridge:${subject}`, () => this.delegate.subjectChanged(subject));
  }

  /** @param {boolean} isLed whether any replica is to lead it to the user's home */
  #connect(isLed) {
    this.#attempts += 1;
    this.socket.io.opts.query = isLed && this.identity.route !== "" ? { route: this.identity.route } : {};
    this.socket.connect();
  }

  /** The handshake goes with the connection. @param {(auth: Record<string, unknown>) => void} give */
  async #authorize(give) {
    const attempt = this.#attempts;
    this.#identityProblem = null;
    const auth = await this.#prepareAuth().catch((error) => {
      const { code = "internal", message, retryable = false } = error;
      this.#identityProblem = { code, message, retryable };
      return { token: "" };
    });
    if (attempt === this.#attempts) give(auth); // else the connection was lost meanwhile, and another one asks for itself
  }

  async #prepareAuth() {
    const token = await (this.#mustRenew ? this.identity.renewToken() : this.identity.sessionToken());
    this.#mustRenew = false;
    const introduction = await this.introduce().catch((cause) => {
      throw Object.assign(new Error("This browser's calls could not be listed.", { cause }), { retryable: true });
    });
    const calls = this.#listCalls(introduction.calls);
    this.#listed = calls.slice(0, LISTED_CALLS);
    const epoch = calls.length > LISTED_CALLS ? "" : introduction.epoch; // what an incomplete list lacks may have been begun
    return { token, hello: { protocol: PROTOCOL, ...introduction, epoch, calls: this.#listed } };
  }

  /** @param {Welcome & {error?: Problem}} welcome */
  #handleWelcome(welcome) {
    if (welcome.error) this.#giveUp(welcome.error);
    else this.#completeHandshake(welcome, this.#listed);
  }

  /**
   * Calls in the outbox are done, whatever their other state.
   * @param {ListedCall[]} calls
   * @returns {ListedCall[]}
   */
  #listCalls(calls) {
    const done = [...this.#outbox.keys()].map((call_id) => ({ call_id, state: /** @type {const} */ ("done") }));
    return [...done, ...calls.filter(({ call_id }) => !this.#outbox.has(call_id))];
  }

  /** @param {Welcome} welcome @param {ListedCall[]} listed */
  #completeHandshake({ beat_s = 0, limits = {}, approval_mode, ended_calls: ended = [], revision }, listed) {
    this.#reconnection.noteWelcome(beat_s);
    this.#isReady = true;
    this.delegate.limitsAnnounced(limits);
    this.delegate.approvalModeAnnounced(approval_mode);
    this.delegate.handshakeCompleted({ ended, listed });
    this.delegate.connectionChanged("online", null);
    for (const [call_id, outcome] of this.#outbox) this.socket.emit("bridge:result", { call_id, outcome });
    for (const call_id of this.#decisions.keys()) void this.#sendDecision(call_id);
    this.delegate.subjectChanged("servers", revision);
  }

  /** @param {string} callId */
  async #sendDecision(callId) {
    const waiting = this.#decisions.get(callId);
    if (!waiting) return;
    try {
      const message = { call_id: callId, ...waiting.decision };
      const reply = await this.socket.timeout(DECISION_TIMEOUT_MS).emitWithAck("bridge:decision", message);
      if (this.#decisions.get(callId) !== waiting) return;
      waiting.answer({
        may_begin: reply?.may_begin === true,
        awaiting_slot: reply?.awaiting_slot === true,
        deadline_ms: Number(reply?.deadline_ms) || 0,
      });
    } catch {
      if (this.#isReady) void this.#sendDecision(callId); // else after the next handshake
    }
  }

  /** @param {Problem} problem */
  #giveUp(problem) {
    this.#isReady = false;
    this.#reconnection.stop();
    this.socket.disconnect();
    this.delegate.connectionChanged("refused", problem);
  }

  /** @param {any} error */
  #handleConnectError(error) {
    this.#isReady = false;
    const problem = this.#identityProblem ?? error?.data ?? null;
    if (this.#identityProblem && !this.#identityProblem.retryable) {
      this.#giveUp(this.#identityProblem);
      return;
    }
    this.#mustRenew = problem?.code === "unauthorized";
    const isElsewhere = problem?.code === "wrong_replica";
    if (isElsewhere) this.identity.changeRoute(textOf(problem.detail?.route));
    if (problem) this.delegate.connectionChanged("connecting", isElsewhere ? null : problem);
    else void this.#tellBlockage(this.#attempts);
    this.#reconnection.connectLater(isElsewhere ? "redirected" : "lost");
  }

  /** Why the transport did not open, if that can be known. @param {number} attempt */
  async #tellBlockage(attempt) {
    const problem = await this.#blockage.judgeFailure();
    if (attempt === this.#attempts && !this.#isReady) this.delegate.connectionChanged("connecting", problem);
  }

  /** @param {string} reason */
  #handleDisconnect(reason) {
    this.#isReady = false;
    if (reason === "io client disconnect") return;
    this.delegate.connectionChanged("connecting", null);
    this.#reconnection.connectLater("lost");
  }

  /** @param {import("./connection_policy.js").Cause} cause */
  #reconnect(cause) {
    this.#isReady = false;
    this.socket.disconnect();
    this.identity.abandonRenewal(); // else the next try would wait for what this one has waited for
    this.delegate.connectionChanged("connecting", null);
    this.#reconnection.connectLater(cause);
  }

  /**
   * The ack says immediately whether the call is accepted; it always names its call, because ack numbers restart with every
   * connection, and it is not sent at all on another connection than the one that asked.
   * @param {unknown} message
   * @param {unknown} ack
   */
  async #handleCall(message, ack) {
    const call = readCall(message);
    if (!call) return;
    const sid = this.socket.id;
    await this.arrivals.receiveCall(call, {
      isThere: () => this.socket.id === sid,
      answer: (said) => void (typeof ack === "function" && ack(said)),
      repeatResult: () => this.#resendResult(call.call_id),
    });
  }

  /** @param {string} callId */
  #resendResult(callId) {
    const outcome = this.#outbox.get(callId);
    if (outcome && this.#isReady) this.socket.emit("bridge:result", { call_id: callId, outcome });
  }

  /** @param {string[]} callIds */
  #handleReceipt(callIds) {
    for (const callId of callIds) this.#outbox.delete(callId);
    this.delegate.resultsConfirmed(callIds);
  }
}
