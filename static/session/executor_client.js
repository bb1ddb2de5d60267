// @ts-check
/**
 * The page's side of the executor: which tab runs the worker, with which permissions, and what it announces to the views.
 *
 * A Web Lock makes one of a user's tabs the executor; when it closes, the next takes over. A change of the accepted
 * origins needs a worker whose script came with another CSP: a new one starts, the old one finishes its calls.
 */
import { ownName } from "../base/bridge_paths.js";
import { t } from "../base/language.js";
import { CallLog, openCallChannel } from "../executor/call_log.js";
import { handOverPort } from "../companion/relay_port.js";
import { requestExecutor, trustedScript } from "./executor_script.js";
import { WaitingCards } from "./pending_approvals.js";
import { retireWorker } from "./worker_ending.js";

/** @typedef {import("../types/types.d.ts").ExecutorState} ExecutorState */
/** @typedef {import("../types/types.d.ts").CallEntry} CallEntry */
/** @typedef {import("../types/types.d.ts").WorkerNews} WorkerNews */
/** @typedef {import("../types/types.d.ts").TabRequest} TabRequest */
/** @typedef {import("../types/types.d.ts").WaitingCard} WaitingCard */
/** @typedef {import("../types/types.d.ts").ExecutorOffer} ExecutorOffer */
/** @typedef {import("../types/types.d.ts").Session} Session */
/** @typedef {{user_id: string | null, session: Session | null, sessionToken: () => Promise<string>, renewToken: () => Promise<string>}} IdentitySource */

const LOCK = ownName("tool-bridge-executor");
/** Maximum milliseconds that the old worker runs on until the new one is online. */
const HANDOVER_MS = 10_000;
const RETRY_FIRST_MS = 1000;
const RETRY_LAST_MS = 30_000;

/** @type {ExecutorState} */
const STOPPED = { role: "stopped", connection: "offline", error: null, origins: [], running: 0 };

/** @param {readonly string[]} a @param {readonly string[]} b */
const isSameSet = (a, b) => a.length === b.length && a.every((member) => b.includes(member));

export class ExecutorClient extends EventTarget {
  /** @type {AbortController | null} */
  #life = null;
  /** @type {BroadcastChannel | null} */
  #channel = null;
  /** @type {{id: string, worker: Worker, origins: string[], logins: string[], revision: string} | null} */
  #current = null;
  /** @type {Map<string, () => void>} */
  #whenOnline = new Map();
  #refreshing = Promise.resolve();
  #failures = 0;
  #pageId = crypto.randomUUID();
  #cards = new WaitingCards(() => this.#announce("cards", this.cards));
  #log = new CallLog((entry) => this.#announce("call", entry));

  /**
   * @param {{identity: IdentitySource, offer?: ExecutorOffer | null, logins?: () => Promise<string[] | undefined>, fetch?: typeof globalThis.fetch}} parts
   *   `offer`: for the first worker, if this tab runs it at once; `logins`: the origins where logins are renewed
   */
  constructor({ identity, offer = null, logins = async () => [], fetch: send }) {
    super();
    this.identity = identity;
    this.logins = logins;
    this.offer = offer;
    this.fetch = send ?? ((input, init) => fetch(input, init));
    /** @type {ExecutorState} */
    this.state = STOPPED;
  }

  get #userId() {
    return this.identity.user_id ?? "";
  }

  /** Calls that wait for their user, oldest first, in whatever worker. */
  get cards() {
    return this.#cards.allCards;
  }
  /** Newest last. */
  get calls() {
    return this.#log.entries;
  }

  start() {
    if (this.#life) return;
    const life = (this.#life = new AbortController());
    this.#channel = openCallChannel(this.#userId);
    this.#channel.onmessage = ({ data }) => this.#handleMessage(data);
    document.addEventListener("visibilitychange", () => this.#postVisibility(), { signal: life.signal });
    this.#setState({ role: "starting", connection: "connecting", error: null });
    void this.#requestLock(life.signal);
    this.#broadcast({ type: "recap" });
  }

  stop() {
    this.#life?.abort();
    this.#life = null;
    this.#current?.worker.terminate();
    this.#current = null;
    this.#channel?.close();
    this.#channel = null;
    this.#setState(STOPPED);
  }

  /** Takes no further call, here and for good; settles once the results of those that run are with the bridge. */
  async drainCalls() {
    this.#life?.abort();
    this.#life = null;
    if (this.#current) await retireWorker(this.#current.worker);
    this.stop();
  }

  /** Gives the executor the origins that are accepted now. Settles when a new worker, if one is needed, has taken over. */
  refreshOrigins() {
    if (this.state.role === "executor") this.#refreshing = this.#refreshing.then(() => this.#ensureWorker());
    else this.#broadcast({ type: "refresh" });
    return this.#refreshing;
  }

  /** @param {string} callId in whatever tab it runs @param {"cancel" | "finish"} [how] finish: what has come of its stream is enough */
  cancelCall(callId, how = "cancel") {
    this.#broadcast({ type: how, call_id: callId });
  }

  /**
   * Sends what the user decided about waiting calls; the worker that has them accepts the first decision.
   * @param {string[]} callIds @param {import("../approvals/approval_policy.js").Decision} decision @param {"user" | "policy"} [reason]
   */
  decideCalls(callIds, decision, reason = "user") {
    this.#broadcast({ type: "decide", call_ids: callIds, decision, reason });
  }

  /** @param {(cards: WaitingCard[]) => void} callback called at once too */
  onCards(callback) {
    callback(this.cards);
    return this.#on("cards", callback);
  }

  /** @param {(state: ExecutorState) => void} callback called at once too */
  onState(callback) {
    callback(this.state);
    return this.#on("state", callback);
  }

  /** @param {(entry: CallEntry) => void} callback */
  onCall(callback) {
    return this.#on("call", callback);
  }

  /** Called in the tab whose worker found it. @param {(serverId: string) => void} callback */
  onSourceChanged(callback) {
    return this.#on("source", (serverId) => this.state.role === "executor" && callback(serverId));
  }

  /**
   * Called when the bridge announces that `subject` has changed; with a revision: unless what is known is of that one.
   * @param {import("../types/types.d.ts").Subject} subject @param {(revision?: string) => void} callback
   */
  onChanged(subject, callback) {
    return this.#on(subject, callback);
  }

  /**
   * @param {string} type
   * @param {(detail: any) => void} callback
   * @returns {() => void}
   */
  #on(type, callback) {
    const listener = (/** @type {Event} */ event) => callback(/** @type {CustomEvent} */ (event).detail);
    this.addEventListener(type, listener);
    return () => this.removeEventListener(type, listener);
  }

  /** @param {string} type @param {unknown} [detail] */
  #announce(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** @param {Partial<ExecutorState>} news */
  #setState(news) {
    this.state = { ...this.state, ...news };
    this.#announce("state", this.state);
  }

  /** @param {TabRequest} request */
  #broadcast(request) {
    this.#channel?.postMessage(request);
  }

  /** @param {AbortSignal} signal */
  async #requestLock(signal) {
    const lock = `${LOCK}:${this.#userId}`;
    const { held = [] } = await navigator.locks.query();
    if (signal.aborted) return;
    if (held.some(({ name }) => name === lock)) {
      this.offer = null; // too old when it is this tab's turn
      this.#setState({ role: "standby" });
    }
    const lead = async () => {
      this.#setState({ role: "executor", connection: "connecting", error: null, running: 0 }); // Not the last tab's.
      void this.refreshOrigins();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    };
    await navigator.locks.request(lock, { signal }, lead).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Starts a worker when there is none, or when the accepted origins are not those of the present one. */
  async #ensureWorker() {
    try {
      const logins = (await this.logins()) ?? [];
      const offer = (!logins[0] && this.offer) || (await requestExecutor(this.identity, this.fetch, logins)); // an offer knows of none
      this.offer = null;
      this.#failures = 0;
      if (!this.#life) return;
      const isSame =
        this.#current && isSameSet(this.#current.origins, offer.origins) && isSameSet(this.#current.logins, logins);
      if (this.#current && isSame) this.#current.revision = offer.revision;
      else await this.#replaceWorker(offer, logins);
    } catch (error) {
      const { code = "unreachable", message } = /** @type {any} */ (error);
      if (!this.#current) this.#setState({ error: { code, message } }); // A running worker is not affected.
      this.#retry();
    }
  }

  #retry() {
    const signal = this.#life?.signal;
    const delay = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    setTimeout(() => signal?.aborted === false && void this.refreshOrigins(), delay);
  }

  /**
   * @param {ExecutorOffer} offer
   * @param {string[]} logins
   * @returns {Promise<void>} settles when the new worker is online; at once when it replaces none
   */
  async #replaceWorker({ script_url, origins, revision }, logins) {
    const previous = this.#current?.worker;
    const id = crypto.randomUUID();
    const worker = new Worker(trustedScript(script_url, this.identity.session?.route ?? ""), { type: "module" });
    this.#current = { id, worker, origins, logins, revision };
    worker.onerror = () => this.#handleWorkerError(id);
    const about = { worker: id, user_id: this.#userId, page_id: this.#pageId, origins };
    const now = () => ({ session: this.identity.session, visibility: document.visibilityState });
    const start = () => worker.postMessage({ type: "start", ...about, ...now() });
    worker.onmessage = ({ data }) => {
      if (data.type === "loaded") start();
      if (data.type === "companion_wanted") handOverPort(worker);
    };
    if (!previous) return;
    await new Promise((resolve) => {
      this.#whenOnline.set(id, () => resolve(true));
      setTimeout(resolve, HANDOVER_MS);
    });
    this.#whenOnline.delete(id);
    void retireWorker(previous);
  }

  /** The script could not be loaded, or failed while loading. @param {string} id */
  #handleWorkerError(id) {
    if (this.#current?.id !== id) return;
    this.#whenOnline.get(id)?.(); // It never will be; stop waiting for it.
    this.#current.worker.terminate();
    this.#current = null;
    this.#setState({
      connection: "offline",
      error: { code: "internal", message: t`The executor could not be started.` },
    });
    this.#retry();
  }

  /** @param {WorkerNews | TabRequest} news */
  #handleMessage(news) {
    if (news.type === "call") this.#log.putEntry(news.entry);
    else if (news.type === "calls") for (const entry of news.entries) this.#log.putEntry(entry);
    else if (news.type === "refresh" && this.state.role === "executor") void this.refreshOrigins();
    else if (news.type === "cards") this.#cards.putCards(news.worker, news.cards);
    else if (news.type === "changed") this.#handleChange(news.subject, news.revision);
    else if (news.type === "source_changed") this.#announce("source", news.server_id);
    else if (news.type === "state") this.#workerChanged(news);
  }

  /** @param {import("../types/types.d.ts").Subject} subject @param {string} [revision] */
  #handleChange(subject, revision) {
    const isKnown = revision !== undefined && revision === this.#current?.revision;
    if (subject === "servers" && this.state.role === "executor" && !isKnown) void this.refreshOrigins();
    this.#announce(subject, revision);
  }

  /** @param {Extract<WorkerNews, {type: "state"}>} news */
  #workerChanged({ worker, connection, error, origins, running }) {
    void this.#cards.dropDeadWorkers(worker);
    if (this.state.role === "executor" && worker !== this.#current?.id) return;
    if (connection === "online") this.#whenOnline.get(worker)?.();
    this.#setState({ connection, error, origins, running });
  }

  #postVisibility() {
    this.#current?.worker.postMessage({ type: "visibility", visibility: document.visibilityState });
  }
}
