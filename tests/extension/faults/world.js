// @ts-check
/** Plays one history: the real extension, relay and page on virtual time, and faults at their messages. */

import { MemoryLocks, MemoryStore } from "../../page/support/memory_store.js";
import { PlayedBrowser } from "./browser.js";
import { Clock, settle } from "./clock.js";
import { findBroken } from "./judge.js";
import { PlayedNetwork } from "./network.js";
import { PlayedPage } from "./page.js";

/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./plan.js").CallPlan} CallPlan */
/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */
/** @typedef {{at: number, isOpen: () => boolean}} Line what is on it arrives in order */
/** @typedef {{attempt: string, outcome: Outcome | null}} Ending null: the page died after the call was begun, so that nobody knows */
/** @typedef {{api: string, login: boolean, methods: string}} Granted */

const BRIDGE = "https://bridge.example";
const OTHER_BRIDGE = "https://other-bridge.example";
/** @type {Record<import("./plan.js").Target, string>} */
const ORIGINS = { granted: "https://api.example", reading: "https://read.example", foreign: "https://foreign.example", closed: "https://closed.example" };
const GRANTS = [
  { api: ORIGINS.granted, login: true, methods: "all" },
  { api: ORIGINS.reading, login: false, methods: "safe" },
];
/** Milliseconds of virtual time after which everything must have ended. */
const HORIZON_MS = 600_000;
/** After which a disabled companion is enabled again, and a service worker hears that its port was lost. */
const SWITCHED_MS = 700;
const LOST_MS = 200;
const MOST_ATTEMPTS = 2;

export class World {
  bridge = BRIDGE;
  clock = new Clock();
  store = new MemoryStore();
  locks = new MemoryLocks();
  network = new PlayedNetwork(this);
  browser = new PlayedBrowser(this);
  page = new PlayedPage(this, "p1");
  /** What the user has granted to this bridge, as far as he knows. @type {Granted[]} */
  granted = structuredClone(GRANTS);
  /** Of every attempt; a call's last one is what its caller is told. @type {Ending[]} */
  endings = [];
  /** Numbers of calls that have ended. @type {number[]} */
  ended = [];
  /** How often each kind of message has travelled. @type {Map<string, number>} */
  travelled = new Map();
  /** Faults that found what they wait for. @type {import("./plan.js").Action[]} */
  struck = [];
  /** @type {string[]} */
  trace = [];
  /** @type {Map<number, number>} */
  #attempts = new Map();
  #ids = 0;

  /** @param {Plan} plan */
  constructor(plan) {
    this.plan = plan;
  }

  randomId() {
    return `00000000-0000-4000-8000-${String(++this.#ids).padStart(12, "0")}`;
  }

  /** @param {string} words */
  note(words) {
    this.trace.push(`${this.clock.now.toFixed(1)} ${words}`);
  }

  /** Something goes from one place to another, where a fault may meet it. @param {string} kind @param {Line} line @param {() => unknown} arrive @param {import("./ports.js").RuntimePort | null} [port] */
  travel(kind, line, arrive, port = null) {
    const nth = this.travelled.get(kind) ?? 0;
    this.travelled.set(kind, nth + 1);
    const faults = this.plan.faults.filter((fault) => fault.kind === kind && fault.nth === nth);
    const delay = faults.filter(({ action }) => action === "delayed").reduce((sum, { ms }) => sum + ms, 0);
    const times = line === port?.toWorker && faults.some(({ action }) => action === "doubled") ? 2 : 1;
    const strike = (/** @type {string} */ moment) => faults.filter(({ when }) => when === moment).forEach((fault) => this.#strike(fault.action, `${moment} ${kind} ${nth}`, port));
    this.later(line, async () => {
      strike("before");
      await settle();
      this.note(`${kind} ${nth}${line.isOpen() ? "" : " is lost"}`);
      for (let time = 0; time < times && line.isOpen(); time += 1) arrive();
      await settle();
      strike("after");
    }, delay);
  }

  /** After what is on this line already. @param {Line} line @param {() => unknown} action @param {number} [delay] */
  later(line, action, delay = 0) {
    line.at = Math.max(line.at, this.clock.now + delay + this.plan.pace());
    this.clock.setAt(action, line.at);
  }

  /** An answer of the browser to a service worker. @template T @param {string} kind @param {{isAlive: boolean}} worker @param {() => T} look @returns {Promise<T>} */
  answered(kind, worker, look) {
    return new Promise((resolve) => {
      const answer = look();
      this.travel(kind, { at: 0, isOpen: () => worker.isAlive }, () => resolve(answer));
    });
  }

  /** @param {import("./plan.js").Action} action @param {string} where @param {import("./ports.js").RuntimePort | null} port */
  #strike(action, where, port) {
    this.struck.push(action);
    this.note(`-- ${action} ${where}`);
    const { browser } = this;
    const strikes = {
      killed: () => browser.stopWorker(),
      updated: () => (browser.disable(), browser.enable()),
      disabled: () => browser.disable(),
      switched: () => (browser.disable(), this.clock.set(() => browser.enable(), SWITCHED_MS)),
      revoked: () => void browser.ask({ type: "revoke", bridge: BRIDGE, api: ORIGINS.granted }).then(() => this.withdraw((api) => api === ORIGINS.granted)),
      forbidden: () => browser.isEnabled && browser.forbid([ORIGINS.granted]),
      unpaired: () => void browser.ask({ type: "unpair", bridge: BRIDGE }).then(() => this.withdraw(() => true)),
      port_lost: () => port?.lose(LOST_MS),
      storage_full: () => (browser.isFull = true),
      reloaded: () => void this.#reload(),
      stopped: () => this.page.stopCalls(),
      delayed: () => undefined,
      doubled: () => undefined,
    };
    strikes[action]();
  }

  /** @param {(api: string) => boolean} isWithdrawn */
  withdraw(isWithdrawn) {
    this.granted = this.granted.filter(({ api }) => !isWithdrawn(api));
  }

  /** @param {string} origin @param {boolean} login @param {string} method */
  isGranted(origin, login, method) {
    return this.granted.some((grant) => grant.api === origin && (grant.login || !login) && (grant.methods === "all" || method === "GET"));
  }

  /** Whether the page's journal has it. @param {string} attempt */
  isJournaled(attempt) {
    return this.store.rows.has(JSON.stringify(["call", attempt.split(".")[0]]));
  }

  /** @param {CallPlan} call */
  originOf({ target }) {
    return ORIGINS[target];
  }

  /** @param {string} attempt @returns {CallPlan} */
  callOf(attempt) {
    const number = Number(attempt.slice(1).split(".")[0]);
    return /** @type {CallPlan} */ (this.plan.calls.find((call) => call.number === number));
  }

  /** The extension is installed, the bridge connected, and its page open. */
  async begin() {
    const stored = (/** @type {string} */ bridge) => (/** @type {Granted} */ grant) => ({ bridge, ...grant, at: 1 });
    const others = [{ api: ORIGINS.foreign, login: true, methods: "all" }, ...GRANTS];
    this.browser.local = { bridges: { [BRIDGE]: { at: 1 }, [OTHER_BRIDGE]: { at: 1 } }, grants: [...GRANTS.map(stored(BRIDGE)), ...others.map(stored(OTHER_BRIDGE))] };
    this.browser.allowed = new Set([BRIDGE, OTHER_BRIDGE, ORIGINS.granted, ORIGINS.reading, ORIGINS.foreign]);
    await this.page.open();
    this.browser.wakeWorker();
    for (const call of this.plan.calls) this.clock.set(() => this.#start(call), call.at + 20);
  }

  /** @param {CallPlan} call */
  #start(call) {
    const attempt = (this.#attempts.get(call.number) ?? 0) + 1;
    this.#attempts.set(call.number, attempt);
    const name = `c${call.number}.${attempt}`;
    this.note(`${name} begins`);
    void this.page.run(call, attempt).then((outcome) => this.#attemptEnded(call, name, outcome));
  }

  /** As the bridge does: what only reads is tried once more. @param {CallPlan} call @param {string} attempt @param {Outcome} outcome */
  #attemptEnded(call, attempt, outcome) {
    this.note(`${attempt} ${outcome.status === "failed" ? `failed: ${outcome.error.code}, delivered ${outcome.delivered}` : outcome.status}`);
    this.endings.push({ attempt, outcome });
    const mayRepeat = call.safe && outcome.status === "failed" && outcome.error.code === "network" && outcome.error.retryable;
    if (mayRepeat && Number(attempt.split(".")[1]) < MOST_ATTEMPTS) this.#start(call);
    else this.ended.push(call.number);
  }

  /** The new page says what its journal has; what was never begun is sent to it. */
  async #reload() {
    const running = [...this.page.running.keys()];
    this.page.die();
    this.page = new PlayedPage(this, `p${++this.#ids}`);
    await this.page.open();
    if (this.browser.scripts.length > 0) this.browser.injectRelay();
    const { left } = await /** @type {import("../../../static/executor/call_journal.js").CallJournal} */ (this.page.journal).inheritEntries();
    for (const id of running) this.#resume(this.callOf(id), left.find(({ call_id }) => call_id === id));
  }

  /** @param {CallPlan} call @param {import("../../../static/types/types.d.ts").JournalEntry | undefined} entry */
  #resume(call, entry) {
    const attempt = /** @type {number} */ (this.#attempts.get(call.number));
    const name = `c${call.number}.${attempt}`;
    if (entry?.outcome) return this.#attemptEnded(call, name, entry.outcome);
    if (!entry && (!call.safe || attempt < MOST_ATTEMPTS)) return this.#start(call);
    this.note(`${name} is unknown`);
    this.endings.push({ attempt: name, outcome: null });
    this.ended.push(call.number);
  }
}

/** @typedef {{plan: Plan, world: World, broken: string[]}} History */

/** @param {Plan} plan @returns {Promise<History>} */
export async function play(plan) {
  const world = new World(plan);
  await world.begin();
  await world.clock.run(HORIZON_MS);
  return { plan, world, broken: findBroken(world) };
}
