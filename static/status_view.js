// @ts-check
/** The connection state in the header: one word, and a sentence with what to do. */
import { el, fill } from "./dom.js";

/** @typedef {import("./types.js").ExecutorState} ExecutorState */
/** @typedef {"connecting" | "connected" | "standby" | "offline" | "refused" | "signed_out"} Standing */
/** @typedef {{standing: Standing, label: string, hint: string}} Status */

const HINTS = {
  standby: "Another tab of this browser performs the calls. This one takes over when that tab closes.",
  connected: "This tab performs your tools' requests. Keep it open; it may stay in the background.",
  refused: "The bridge does not accept this page. Open the link it printed.",
  offline: "The bridge does not answer. Is it still running? This page tries again by itself.",
  connecting: "Reaching the bridge.",
};

/**
 * @param {ExecutorState} state
 * @returns {Status}
 */
export function statusOf({ role, connection, error, running }) {
  if (role === "standby") return { standing: "standby", label: "Standby", hint: HINTS.standby };
  if (connection === "online") {
    const label = running > 0 ? `Connected, ${running} running` : "Connected";
    return { standing: "connected", label, hint: HINTS.connected };
  }
  if (connection === "refused") {
    return { standing: "refused", label: "Refused", hint: error?.message ?? HINTS.refused };
  }
  if (error !== null || (connection === "offline" && role !== "starting")) {
    return { standing: "offline", label: "Offline", hint: error?.message ?? HINTS.offline };
  }
  return { standing: "connecting", label: "Connecting…", hint: HINTS.connecting };
}

/** After so long without an answer "connecting" would be a euphemism. */
const PATIENCE_MS = 4000;

export class StatusView {
  /** @param {HTMLElement} place @param {import("./executor_client.js").ExecutorClient} executor @param {string} user */
  constructor(place, executor, user) {
    this.place = place;
    this.executor = executor;
    this.user = user;
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.isLost = false;
  }

  start() {
    this.unsubscribe ??= this.executor.onState((state) => this.#show(statusOf(state)));
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
    this.#forgetWaiting();
  }

  /** @param {Status} status */
  #show(status) {
    if (status.standing !== "connecting") this.#forgetWaiting();
    else this.timer ??= setTimeout(() => this.#giveUp(), PATIENCE_MS);
    showStatus(this.place, this.isLost ? LOST : status, this.user);
  }

  #giveUp() {
    this.isLost = true;
    showStatus(this.place, LOST, this.user);
  }

  #forgetWaiting() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isLost = false;
  }
}

/** @type {Status} */
const LOST = { standing: "offline", label: "Offline", hint: HINTS.offline };

/** Standings in which the user may want to act; signed out, the page itself says how. */
const EXPLAINED = new Set(["standby", "offline", "refused"]);

/**
 * @param {HTMLElement} place
 * @param {Status} status
 * @param {string | null} [user]
 */
export function showStatus(place, { standing, label, hint }, user = null) {
  place.dataset.state = standing;
  place.title = hint;
  const dot = el("span", { class: "dot", "aria-hidden": "true" });
  fill(place, dot, el("span", null, label), user ? el("span", { class: "facts" }, user) : null);
  const bar = document.getElementById("connection-hint");
  if (!bar) return;
  bar.dataset.state = standing;
  bar.textContent = hint;
  bar.hidden = !EXPLAINED.has(standing);
}
