// @ts-check
/** The timers of the connection to the bridge: gives up one that is silent, and tries again after one that is lost. */

import { retryDelay, Silence, silencePatience, tryPatience } from "./connection_policy.js";

/** @typedef {import("./connection_policy.js").Cause} Cause */
/** @typedef {{now: () => number, random: () => number, start: (act: () => void, milliseconds: number) => any, stop: (timer: any) => void}} Clock */

/** Milliseconds for the answer to a handshake where no beats are expected. */
const WELCOME_MS = 10_000;

/** @type {Clock} */
const WORKER_CLOCK = {
  now: () => performance.now(),
  random: () => Math.random(),
  start: (act, milliseconds) => setTimeout(act, milliseconds),
  stop: (timer) => clearTimeout(timer),
};

export class Reconnection {
  #socket;
  #clock;
  /** @type {Silence | null} */
  #silence = null;
  /** @type {any} */
  #look;
  /** @type {any} */
  #retry;
  #beatS = 0;
  #failures = 0;
  #silences = 0;
  #redirects = 0;
  /** Null: the last handshake still holds. @type {number | null} */
  #lostAt = null;

  /**
   * @param {{connect: () => void, giveUp: () => void}} socket `giveUp` closes it and calls `connectLater`
   * @param {Clock} [clock]
   */
  constructor(socket, clock = WORKER_CLOCK) {
    this.#socket = socket;
    this.#clock = clock;
  }

  connectNow() {
    this.#watch(tryPatience(this.#standing()));
    this.#socket.connect();
  }

  /** @param {Cause} cause */
  connectLater(cause) {
    this.stop();
    this.#lostAt ??= this.#clock.now();
    const delay = retryDelay(cause, this.#standing(), this.#clock.random());
    this.#failures += 1;
    if (cause === "redirected") this.#redirects += 1;
    this.#retry = this.#clock.start(() => this.connectNow(), delay);
  }

  /** The bridge has confirmed the connection, and owes the answer to the handshake. */
  noteConnected() {
    if (this.#beatS === 0) this.#watch(WELCOME_MS);
  }

  /** @param {number} beatS seconds between beats; 0: none are to be expected */
  noteWelcome(beatS) {
    this.#beatS = beatS;
    this.#failures = this.#silences = this.#redirects = 0;
    this.#lostAt = null;
    this.#watch(silencePatience(beatS));
  }

  noteMessage() {
    this.#silence?.noteMessage(this.#clock.now());
  }

  /** The next message may take so long. @param {number} seconds */
  extendPatience(seconds) {
    this.#silence?.extendPatience(seconds * 1000);
  }

  stop() {
    this.#watch(Infinity);
    this.#clock.stop(this.#retry);
  }

  #standing() {
    const lostMs = this.#lostAt === null ? 0 : this.#clock.now() - this.#lostAt;
    return { beatS: this.#beatS, failures: this.#failures, silences: this.#silences, redirects: this.#redirects, lostMs };
  }

  /** @param {number} patienceMs infinite: until something else happens */
  #watch(patienceMs) {
    this.#clock.stop(this.#look);
    this.#silence = patienceMs < Infinity ? new Silence(patienceMs, this.#clock.now()) : null;
    if (this.#silence) this.#look = this.#clock.start(() => this.#lookAtSilence(), patienceMs);
  }

  #lookAtSilence() {
    const wait = this.#silence?.look(this.#clock.now()) ?? 0;
    if (wait > 0) {
      this.#look = this.#clock.start(() => this.#lookAtSilence(), wait);
      return;
    }
    if (this.#lostAt !== null) this.#silences += 1;
    this.#socket.giveUp();
  }
}
