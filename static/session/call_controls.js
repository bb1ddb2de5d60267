// @ts-check
/**
 * What decides whether and how long calls run, as the bridge has it: limits, the user's own settings, and the tools that are
 * left alone for now. State as data, no DOM; breakers are read again when the bridge says so, and when one may be tried.
 */

import { Announcing } from "../base/announcing.js";
import { whenOnline } from "./when_online.js";

/** @typedef {import("../types/api_types.js").Breaker} Breaker */
/** @typedef {import("../types/api_types.js").CallSetting} CallSetting */
/** @typedef {import("../types/api_types.js").LimitList} LimitList */
/** @typedef {import("./controls_api.js").ControlsApi} ControlsApi */
/** @typedef {Breaker & {since: number, retry_at: number}} OpenBreaker  times: milliseconds since 1970, by this clock */

/** So much after the announced moment, lest the bridge still says "not yet". */
const LATER_MS = 300;

export class CallControls extends Announcing {
  /** @type {(() => void)[]} */
  #subscriptions = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {ControlsApi} api
   * @param {import("./executor_client.js").ExecutorClient} executor
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(api, executor, now = () => Date.now()) {
    super();
    this.api = api;
    this.executor = executor;
    this.now = now;
    /** @type {LimitList | null} */
    this.limits = null;
    /** @type {CallSetting[]} */
    this.settings = [];
    /** Tools and hosts whose breaker is open. @type {OpenBreaker[]} */
    this.breakers = [];
  }

  start() {
    const load = () => void this.loadControls().catch(() => undefined); // The next change tries again.
    const again = () => void this.loadBreakers().catch(() => undefined);
    this.#subscriptions = [this.executor.onChanged("breakers", again), whenOnline(this.executor, load)];
  }

  stop() {
    clearTimeout(this.#timer);
    for (const end of this.#subscriptions.splice(0)) end();
  }

  async loadControls() {
    [this.limits, this.settings] = await Promise.all([this.api.readLimits(), this.api.listSettings()]);
    await this.loadBreakers();
  }

  async loadBreakers() {
    const breakers = await this.api.listBreakers();
    this.breakers = breakers.filter(({ state }) => state !== "closed").map((breaker) => withTimes(breaker, this.now()));
    this.#readAgainLater();
    this.announceChange();
  }

  /** @param {Record<string, unknown>} changes */
  async changeLimits(changes) {
    this.limits = await this.api.changeLimits(changes);
    this.announceChange();
    return this.limits;
  }

  /** @param {object} setting as typed: the bridge says what is wrong with it */
  async saveSetting(setting) {
    this.settings = await this.api.saveSetting(setting);
    this.announceChange();
  }

  /** @param {Breaker} breaker */
  async closeBreaker(breaker) {
    await this.api.closeBreaker(breaker);
    await this.loadBreakers();
  }

  /**
   * The breakers that refuse calls: of a tool or all of a server, and of the hosts that it calls.
   * @param {string} serverId @param {string | null} operation @param {readonly string[]} origins
   */
  breakersOf(serverId, operation, origins) {
    return this.breakers.filter((each) =>
      each.kind === "host"
        ? origins.includes(each.host)
        : each.server_id === serverId && (operation ?? each.operation) === each.operation,
    );
  }

  /** No event announces that the time of a breaker is up. */
  #readAgainLater() {
    clearTimeout(this.#timer);
    const next = Math.min(...this.breakers.filter(({ state }) => state === "open").map(({ retry_at }) => retry_at));
    if (!Number.isFinite(next)) return;
    const again = () => void this.loadBreakers().catch(() => undefined);
    this.#timer = setTimeout(again, Math.max(0, next - this.now()) + LATER_MS);
  }
}

/** @param {Breaker} breaker @param {number} now @returns {OpenBreaker} */
function withTimes(breaker, now) {
  return {
    ...breaker,
    since: now - 1000 * (breaker.open_for_s ?? 0),
    retry_at: now + 1000 * (breaker.retry_after_s ?? 0),
  };
}
