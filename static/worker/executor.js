// @ts-check
/** The executor put together: what its worker holds, what the socket, the tabs and the user ask of it, and what it tells. */

import { ApprovalQueue } from "../approvals/approval_queue.js";
import { approvalEnvironment } from "../approvals/approval_preview.js";
import { ApprovalRules } from "../approvals/approval_policy.js";
import { BridgeSocket } from "../connection/bridge_socket.js";
import { CallLog, openCallChannel } from "../executor/call_log.js";
import { CallRecovery } from "../executor/call_recovery.js";
import { companionTransport } from "../companion/companion_loader.js";
import { proveUnsent } from "../companion/lost_call.js";
import { CallFailure, failedOutcome, failureOf } from "../executor/call_failure.js";
import { readsUnsaid } from "../executor/file_reads.js";
import { PageGrants } from "../approvals/grants.js";
import { RunningCalls } from "../executor/running_calls.js";
import { ToolRunner } from "../executor/tool_runner.js";
import { openTransportChannel, TransportChoices } from "../executor/transport_choice.js";
import { uploadResult } from "../executor/result_upload.js";
import { PLAN_VERSION } from "../request/plan_version.js";
import { runnerEnvironment } from "./runner_environment.js";

/** @typedef {import("../types/types.d.ts").WorkerNews} WorkerNews */
/** @typedef {import("../types/types.d.ts").TabRequest} TabRequest */
/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {import("../base/browser_store.js").BrowserStore} BrowserStore */
/** @typedef {Extract<import("../types/types.d.ts").WorkerCommand, {type: "start"}>} StartCommand */
/**
 * @typedef {object} WorkerParts
 * @property {import("../connection/session_tokens.js").SessionTokens} identity
 * @property {BrowserStore} store
 * @property {import("../executor/call_journal.js").CallJournal} journal
 * @property {import("../companion/companion_loader.js").WorkerScope} scope
 * @property {ReturnType<typeof import("../executor/diagnosis.js").watchPolicy>} wasBlockedByPolicy
 */

/** Until the bridge has announced its own. */
const FIRST_LIMITS = { inline_result_bytes: 262_144, result_bytes: 16_777_216, file_bytes: 16_777_216 };

const NEVER = new AbortController().signal;

/** What the page itself says of a call has no secret in it. */
const PLAIN = { redact: (/** @type {string} */ text) => text, isSafe: true };

const DRAINING = {
  code: "no_browser",
  message: "The bridge page is changing its permissions. Try again.",
  detail: {},
  retryable: true,
};

export class Executor {
  #isDraining = false;
  #limits = { ...FIRST_LIMITS };
  /** @type {import("../types/types.d.ts").Connection} */
  #connection = "offline";
  /** @type {{code: string, message: string} | null} */
  #problem = null;

  /** @param {StartCommand} start @param {WorkerParts} parts */
  constructor(start, { identity, store, journal, scope, wasBlockedByPolicy }) {
    this.settings = start;
    this.visibility = start.visibility;
    this.scope = scope;
    this.channel = openCallChannel(start.user_id);
    this.channel.onmessage = ({ data }) => this.#handleRequest(data);
    this.log = new CallLog((entry) => this.#broadcast({ type: "call", entry }));
    this.journal = journal;
    /** @type {import("../executor/result_upload.js").Way} */
    this.way = { fetch: (input, init) => fetch(input, init), route: () => identity.route };
    this.choices = new TransportChoices(store, openTransportChannel(start.user_id));
    this.companion = companionTransport(scope);
    this.runner = this.#makeRunner(store, wasBlockedByPolicy);
    this.rules = new ApprovalRules(
      (serverId, key) => this.runner.environment.findPin(serverId, key),
      new PageGrants(store),
      this.choices,
      (...about) => readsUnsaid(this.runner, ...about),
    );
    this.approvals = this.#makeQueue();
    this.calls = new RunningCalls(this.runner, (call, outcome) => this.#reportOutcome(call, outcome));
    this.socket = new BridgeSocket({
      url: location.origin,
      identity,
      introduce: () => this.#introduce(),
      delegate: this.#socketDelegate(),
    });
    this.recovery = this.#makeRecovery();
    this.socket.start();
  }

  /** Takes no further call; says "drained" once all results are with the bridge. */
  drainCalls() {
    this.#isDraining = true;
    this.#finishDraining();
  }

  /** @param {string} visibility of the page: the bridge sends calls to the one its user works with */
  changeVisibility(visibility) {
    this.visibility = visibility;
    this.socket.sendVisibility(visibility);
  }

  /** @param {BrowserStore} store @param {WorkerParts["wasBlockedByPolicy"]} wasBlockedByPolicy */
  #makeRunner(store, wasBlockedByPolicy) {
    const { way, log, journal, companion, choices } = this;
    return new ToolRunner(
      runnerEnvironment({
        store,
        way,
        log,
        journal,
        companion,
        choices,
        wasBlockedByPolicy,
        limits: this.#limits,
        origins: this.settings.origins,
        isConnected: () => this.socket.isConnected,
        tell: (news) => this.#broadcast(news),
      }),
    );
  }

  #makeRecovery() {
    return new CallRecovery(this.journal, {
      sendResult: (callId, outcome) => this.socket.sendResult(callId, outcome),
      upload: (entry, { content, content_type }) => uploadResult(this.way, entry, content, content_type, NEVER),
      proveUnsent: (entry) => proveUnsent(entry, this.companion),
    });
  }

  #makeQueue() {
    const environment = approvalEnvironment(
      () => this.runner,
      this.rules,
      () => this.socket,
    );
    return new ApprovalQueue(environment, {
      callApproved: (call) => this.#startCall(call),
      callQueued: (call) => this.log.callQueued(call),
      callFailed: (call, failure) => this.#reportOutcome(call, failedOutcome(failure, PLAIN, 0)),
      callClosed: (call, failure) => this.#logEnding(call, failedOutcome(failure, PLAIN, 0)),
      cardsChanged: (cards) => this.#broadcast({ type: "cards", worker: this.settings.worker, cards }),
    });
  }

  /** @returns {Promise<import("../types/types.d.ts").Introduction>} */
  async #introduce() {
    const { worker, page_id, origins } = this.settings;
    const { alive, calls } = await this.recovery.listCalls();
    const running = this.calls.callIds.map((call_id) => ({ call_id, state: /** @type {const} */ ("running") }));
    const waiting = this.approvals.callIds.map((call_id) => ({ call_id, state: /** @type {const} */ ("waiting") }));
    const who = { page_id, instance: worker, epoch: this.journal.epoch, alive, plan_version: PLAN_VERSION };
    return { ...who, visibility: this.visibility, origins, calls: [...running, ...waiting, ...calls] };
  }

  /** A call that has ended for the bridge continues only if its request cannot be withdrawn. @param {string[]} ended */
  #handshakeCompleted(ended) {
    for (const callId of ended)
      if (!this.approvals.withdrawCall(callId) && !this.journal.hasBegun(callId))
        this.calls.stopCall(callId, "The bridge had already ended this call when the page reconnected.");
    this.approvals.repeatDecisions();
    void this.recovery.reportCalls(ended);
  }

  /** @returns {import("../connection/bridge_socket.js").BridgeSocketDelegate} */
  #socketDelegate() {
    return {
      connectionChanged: (connection, problem) => this.#connectionChanged(connection, problem),
      limitsAnnounced: (limits) => void Object.assign(this.#limits, limits),
      isUnderWay: (callId) =>
        this.approvals.hasCall(callId) || this.calls.isRunning(callId) || this.journal.hasBegun(callId),
      isSafe: async ({ server_id, key }) =>
        (await this.runner.environment.findPin(server_id, key).catch(() => null))?.plan.safe === true,
      doubtOf: (call) => this.journal.checkNotBegun(call).then(() => null, failureOf),
      callDoubted: (call, doubt) => this.#reportOutcome(call, failedOutcome(doubt, PLAIN, 0)),
      refusalOf: async (call) => (this.#isDraining ? DRAINING : this.runner.findRefusal(call)),
      mustAsk: async (call) => (await this.rules.findReason(call)) !== null,
      isWaiting: (callId) => this.approvals.hasCall(callId),
      approvalNeeded: (call) => this.#askUser(call),
      approvalModeAnnounced: (mode) => this.#modeAnnounced(mode),
      callArrived: (call) => this.#startCall(call),
      handshakeCompleted: ({ ended }) => this.#handshakeCompleted(ended),
      callCancelled: (callId, reason) => {
        if (!this.approvals.withdrawCall(callId)) this.calls.stopCall(callId, reason);
      },
      slotGranted: (callId) => this.approvals.grantSlot(callId),
      subjectChanged: (subject, revision) => this.#broadcast({ type: "changed", subject, revision }),
      resultsConfirmed: (callIds) => this.#forgetConfirmed(callIds),
    };
  }

  /** @param {ToolCall} call */
  #askUser(call) {
    this.log.callAwaitsApproval(call);
    if (!this.calls.wasStopped(call.call_id)) void this.approvals.addCall(call);
    else
      this.#logEnding(call, failedOutcome(new CallFailure("cancelled", "Stopped before it was approved."), PLAIN, 0));
  }

  /** @param {unknown} mode */
  #modeAnnounced(mode) {
    this.rules.setMode(mode);
    this.#broadcast({ type: "changed", subject: "approvals" });
  }

  /** The bridge knows that it does not run. @param {ToolCall} call @param {import("../types/types.d.ts").Outcome} outcome */
  #logEnding(call, outcome) {
    this.log.callEnded(call, outcome);
    this.#finishDraining();
  }

  /** @param {ToolCall} call */
  #startCall(call) {
    this.log.callStarted(call);
    void this.calls.startCall(call);
    this.#broadcastState();
  }

  /** @param {ToolCall} call @param {import("../types/types.d.ts").Outcome} outcome */
  #reportOutcome(call, outcome) {
    this.socket.sendResult(call.call_id, outcome);
    this.log.callEnded(call, outcome);
    this.#broadcastState();
  }

  /** @param {import("../types/types.d.ts").Connection} connection @param {{code: string, message: string} | null} problem */
  #connectionChanged(connection, problem) {
    this.#connection = connection;
    this.#problem = problem && { code: problem.code, message: problem.message };
    this.#broadcastState();
  }

  /** @param {string[]} callIds */
  #forgetConfirmed(callIds) {
    void this.journal.forgetCalls(callIds);
    this.#finishDraining();
  }

  #finishDraining() {
    if (!this.#isDraining || this.calls.size + this.approvals.size > 0 || this.socket.unconfirmedCount > 0) return;
    this.socket.stop();
    this.channel.close();
    this.scope.postMessage({ type: "drained" });
  }

  /** @param {TabRequest} request from any tab of this browser */
  #handleRequest(request) {
    if (request.type === "cancel") this.#cancel(request.call_id);
    if (request.type === "finish") this.calls.finishCall(request.call_id);
    if (request.type === "decide") this.approvals.decideCalls(request.call_ids, request.decision, request.reason);
    if (request.type !== "recap") return;
    this.#broadcast({ type: "cards", worker: this.settings.worker, cards: this.approvals.cards });
    if (this.#isDraining) return;
    this.#broadcastState();
    this.#broadcast({ type: "calls", entries: this.log.entries });
  }

  /** Cancelling a call that waits is denying it. @param {string} callId */
  #cancel(callId) {
    if (this.approvals.hasCall(callId)) this.approvals.decideCalls([callId], "denied");
    else this.calls.stopCall(callId, "Stopped on the bridge page.");
  }

  #broadcastState() {
    if (this.#isDraining) return;
    const { worker, origins } = this.settings;
    const now = { connection: this.#connection, error: this.#problem, running: this.calls.size };
    this.#broadcast({ type: "state", worker, origins, ...now });
  }

  /** @param {WorkerNews} news */
  #broadcast(news) {
    this.channel.postMessage(news);
  }
}
