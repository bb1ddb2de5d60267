// @ts-check
/** A page of the bridge: its real runner, journal and transport, with one operation for each way of calling. */

import { CallJournal } from "../../../static/executor/call_journal.js";
import { CallStopped } from "../../../static/executor/call_failure.js";
import * as failures from "../../../static/executor/call_failure.js";
import { CompanionLink, CompanionTransport } from "../../../static/companion/companion_transport.js";
import { WINDOW_CONNECT } from "../../../static/companion/protocol.js";
import { ToolRunner } from "../../../static/executor/tool_runner.js";
import { plan, parameter } from "../../page/support/plans.js";
import { call as aToolCall } from "../../page/support/runner_bench.js";
import { makeChannel } from "./ports.js";

/** @typedef {import("../../../static/types/types.d.ts").Outcome} Outcome */
/** @typedef {import("./plan.js").CallPlan} CallPlan */

const LIMIT = 5_000_000;
const LIMITS = { inline_result_bytes: LIMIT, result_bytes: LIMIT, file_bytes: LIMIT };
/** Of real time, which does not pass here. */
const DEADLINE_MS = 100_000_000;
const TEXT_BODY = { kind: /** @type {const} */ ("text"), content_type: "text/plain", required: true, argument: "body" };

/** @param {CallPlan} call @param {string} origin @returns {import("../../../static/types/types.d.ts").RequestPlan} */
function operationOf({ safe }, origin) {
  const change = safe ? { method: "GET", safe } : { method: "POST", safe, body: TEXT_BODY };
  return plan({ base_url: `${origin}/v1`, parameters: [parameter("query", "q")], ...change });
}

/** As much of a window as the relay uses. */
class PlayedWindow {
  top = this;
  /** @type {Set<(event: any) => void>} */
  #listeners = new Set();

  /** @param {string} _type message @param {(event: any) => void} listener */
  addEventListener(_type, listener) {
    this.#listeners.add(listener);
  }

  /** @param {string} _type @param {(event: any) => void} listener */
  removeEventListener(_type, listener) {
    this.#listeners.delete(listener);
  }

  /** @param {any} data @param {string} origin @param {any[]} [ports] */
  postMessage(data, origin, ports = []) {
    queueMicrotask(() => [...this.#listeners].forEach((listener) => listener({ source: this, origin, data, ports })));
  }
}

export class PlayedPage {
  window = new PlayedWindow();
  /** The global scope of the extension's scripts in this page. */
  isolated = {};
  isAlive = true;
  /** @type {Map<string, AbortController>} */
  running = new Map();
  /** @type {CallJournal | null} */
  journal = null;

  /** @param {import("./world.js").World} world @param {string} name */
  constructor(world, name) {
    this.world = world;
    this.name = name;
    const timers = { set: (/** @type {() => void} */ action, /** @type {number} */ ms) => world.clock.set(() => this.isAlive && action(), ms), clear: (/** @type {unknown} */ due) => world.clock.clear(due) };
    this.link = new CompanionLink(() => this.#openPort(), { timers });
    this.transport = new CompanionTransport(this.link, failures);
  }

  async open() {
    const { store, locks, clock } = this.world;
    const living = { ...store, readRecord: store.readRecord.bind(store), readRecords: store.readRecords.bind(store), changeRecords: this.#changeRecords.bind(this) };
    this.journal = await CallJournal.openJournal(/** @type {any} */ (living), "u", this.name, /** @type {any} */ (locks), () => clock.now);
  }

  /** A dead page writes nothing. @param {string[]} names @param {any} change @returns {Promise<void>} */
  #changeRecords(names, change) {
    return this.isAlive ? this.world.store.changeRecords(names, change) : new Promise(() => {});
  }

  /** @returns {any} */
  #openPort() {
    const [own, other] = makeChannel();
    this.window.postMessage({ type: WINDOW_CONNECT }, this.world.bridge, [other]);
    return own;
  }

  /** @param {CallPlan} call @param {number} attempt @returns {Promise<Outcome>} pending for ever once the page is dead */
  async run(call, attempt) {
    const [id, stop] = [`c${call.number}`, new AbortController()];
    this.running.set(id, stop);
    const body = call.safe ? {} : { body: "x".repeat(call.size) };
    const asked = aToolCall({ call_id: id, attempt, deadline_ms: DEADLINE_MS, params: JSON.stringify({ q: `${id}.${attempt}`, ...body }) });
    const outcome = await this.#runnerOf(call).runCall(asked, stop.signal);
    return this.isAlive ? (this.running.delete(id), outcome) : new Promise(() => {});
  }

  /** @param {CallPlan} call */
  #runnerOf(call) {
    const origin = this.world.originOf(call);
    const operation = operationOf(call, origin);
    /** @type {any} */
    const pin = { server_id: "s1", key: "GET /things", name: "things", digest: "d1", base_url: operation.base_url, origin, plan: operation };
    return new ToolRunner(/** @type {any} */ ({
      fetch: () => Promise.reject(new Error("The page itself sends nothing.")),
      transports: { companion: this.transport },
      findVia: async () => ({ transport: "companion", login: call.login, headers: [] }),
      now: () => Math.round(this.world.clock.now),
      pageUrl: `${this.world.bridge}/`,
      listPins: async () => [],
      findPin: async () => pin,
      loadCredentials: async () => ({}),
      limits: LIMITS,
      journal: this.journal,
      isConnected: () => true,
      observer: { requestBuilt: () => undefined, answerRead: () => undefined },
      tellProgress: () => undefined,
      readTiming: () => null,
    }));
  }

  /** The user stops what runs. */
  stopCalls() {
    for (const stop of this.running.values()) stop.abort(new CallStopped("cancelled", "Stopped on the bridge page."));
  }

  die() {
    this.isAlive = false;
    this.world.locks.held.delete(`tool-bridge-worker:u:${this.name}`);
    this.link.close();
  }
}
