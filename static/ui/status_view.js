// @ts-check
/** The connection state in the header: one word, and a sentence with what to do. */
import { SOCKET_PATH } from "../base/bridge_paths.js";
import { t } from "../base/language.js";
import { el, fill } from "./dom.js";
import { escapeMarks } from "../base/untrusted_text.js";

/** @typedef {import("../types/types.js").ExecutorState} ExecutorState */
/** @typedef {"connecting" | "connected" | "standby" | "offline" | "refused" | "signed_out"} Standing */
/** @typedef {{standing: Standing, label: string, hint: string, isElsewhere?: boolean}} Status `isElsewhere`: another device runs calls */

const HINTS = {
  standby: t`Another tab of this browser performs the calls. This one takes over when that tab closes.`,
  connected: t`This tab performs your tools' requests. Keep it open; it may stay in the background.`,
  refused: t`The bridge does not accept this page. Open the link it printed.`,
  offline: t`The bridge does not answer. Is it still running? This page tries again by itself.`,
  connecting: t`Connecting to the bridge.`,
  blocked: t`The bridge answers, but its WebSocket does not come through. Most likely a proxy, a firewall or an extension between this page and the bridge does not pass it: upgrades for ${SOCKET_PATH}/ must be passed on (how-to: Run behind a proxy).`,
};

/**
 * @param {ExecutorState} state
 * @returns {Status}
 */
export function statusOf({ role, connection, error, running }) {
  if (role === "standby") return { standing: "standby", label: t`Standby`, hint: HINTS.standby };
  if (connection === "online") {
    const label = running > 0 ? t`Connected, ${running} running` : t`Connected`;
    return { standing: "connected", label, hint: HINTS.connected };
  }
  if (connection === "refused") {
    return { standing: "refused", label: t`Refused`, hint: error?.message ?? HINTS.refused };
  }
  if (error !== null || (connection === "offline" && role !== "starting")) {
    const hint = error?.code === "socket_blocked" ? HINTS.blocked : (error?.message ?? HINTS.offline);
    return { standing: "offline", label: t`Offline`, hint };
  }
  return { standing: "connecting", label: t`Connecting…`, hint: HINTS.connecting };
}

/**
 * Who runs calls, in a sentence.
 * @param {ExecutorState} state
 * @param {import("../session/devices.js").Devices} devices
 */
export function runnerSentence({ role, connection }, { activeDevice, ownDevice }) {
  if (!activeDevice) return t`No device is connected: calls fail with no_browser.`;
  if (activeDevice.id !== ownDevice?.id) return t`${activeDevice.name} runs calls.`;
  if (role === "standby") return t`Another tab of this browser runs calls.`;
  return connection === "online" ? t`This tab runs calls.` : t`This browser runs calls.`;
}

/** After so long without an answer "connecting" would be a euphemism. */
const PATIENCE_MS = 4000;

export class StatusView {
  /** @param {HTMLElement} place @param {import("../types/view_types.js").Parts} parts */
  constructor(place, { executor, devices, user }) {
    this.place = place;
    this.executor = executor;
    this.devices = devices;
    this.user = user;
    /** @type {(() => void)[]} */
    this.subscriptions = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.isLost = false;
  }

  start() {
    if (this.subscriptions.length > 0) return;
    const show = () => this.#show(this.#withRunner(statusOf(this.executor.state)));
    this.subscriptions = [this.executor.onState(show), this.devices.onChange(show)];
  }

  stop() {
    for (const end of this.subscriptions.splice(0)) end();
    this.#forgetWaiting();
  }

  /** A connected page that is not the one that runs calls says who does. @param {Status} status @returns {Status} */
  #withRunner(status) {
    const { activeDevice, ownDevice } = this.devices;
    if (status.standing !== "connected" || !activeDevice || activeDevice.id === ownDevice?.id) return status;
    const hint = t`${activeDevice.name} runs calls: it was active last. This device takes over once it is in front again, or for the servers assigned to it under Devices.`;
    return { ...status, hint, isElsewhere: true };
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
const LOST = { standing: "offline", label: t`Offline`, hint: HINTS.offline };

/** Standings in which the user may want to act; signed out, the page itself says how. */
const EXPLAINED = new Set(["standby", "offline", "refused"]);

/**
 * @param {HTMLElement} place
 * @param {Status} status
 * @param {string | null} [user]
 */
export function showStatus(place, { standing, label, hint, isElsewhere = false }, user = null) {
  place.dataset.state = standing;
  place.title = escapeMarks(hint);
  const dot = el("span", { class: "dot", "aria-hidden": "true" });
  fill(place, dot, el("span", null, label), user ? el("span", { class: "facts" }, user) : null);
  const bar = document.getElementById("connection-hint");
  if (!bar) return;
  bar.dataset.state = standing;
  fill(bar, hint);
  bar.hidden = !EXPLAINED.has(standing) && !isElsewhere;
}
