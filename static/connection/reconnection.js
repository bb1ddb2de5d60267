// @ts-check
/** The timers of the connection to the bridge: gives up one that is silent, and tries again after one that is lost. */

import { openPatience, retryDelay, Silence, silencePatience, tryPatience } from "./connection_policy.js";

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
  #unopened = 0;
  #silences = 0;
  #redirects = 0;
  #triedAt = 0;
  #openMs = 0;
  /** Null: this try's transport is not open yet. @type {number | null} */
  #openingMs = null;
  /** Whether the next try is led to the user's home; one that is not finds out whether it still is. */
  #isLed = true;
  /** Null: the last handshake still holds. @type {number | null} */
  #lostAt = null;

  /**
   * @param {{connect: (isLed: boolean) => void, giveUp: (cause: Cause) => void}} socket `giveUp` closes it and calls `connectLater`
   * @param {Clock} [clock]
   */
  constructor(socket, clock = WORKER_CLOCK) {
    this.#socket = socket;
    this.#clock = clock;
  }

  connectNow() {
    this.#triedAt = this.#clock.now();
    this.#openingMs = null;
    this.#watch(this.#isLed ? tryPatience(this.#standing(), false) : openPatience(this.#standing()));
    this.#socket.connect(this.#isLed);
  }

  /** @param {Cause} cause */
  connectLater(cause) {
    this.stop();
    this.#lostAt ??= this.#clock.now();
    const delay = retryDelay(cause, this.#standing(), this.#clock.random());
    this.#failures += 1;
    if (cause === "redirected") this.#redirects += 1;
    this.#isLed = this.#beatS === 0 || cause === "moved" || cause === "redirected";
    this.#retry = this.#clock.start(() => this.connectNow(), delay);
  }

  /** The transport is open, so that replica runs. */
  noteOpened() {
    this.#openingMs = this.#clock.now() - this.#triedAt;
    if (this.#beatS > 0) this.#watch(tryPatience(this.#standing(), true));
  }

  /** The bridge has confirmed the connection, and owes the answer to the handshake. */
  noteConnected() {
    if (this.#beatS === 0) this.#watch(WELCOME_MS);
  }

  /** @param {number} beatS seconds between beats; 0: none are to be expected */
  noteWelcome(beatS) {
    this.#beatS = beatS;
    this.#failures = this.#unopened = this.#silences = this.#redirects = 0;
    this.#lostAt = null;
    this.#openMs = this.#openingMs ?? 0;
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
    return {
      beatS: this.#beatS,
      failures: this.#failures,
      unopened: this.#unopened,
      silences: this.#silences,
      openMs: this.#openMs,
      redirects: this.#redirects,
      lostMs,
    };
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
    const cause = this.#lostAt === null ? "lost" : "silent";
    if (cause === "silent" && this.#openingMs === null && !this.#isLed) this.#unopened += 1;
    else if (cause === "silent") this.#silences += 1;
    this.#socket.giveUp(cause);
  }
}
