// @ts-check
/** Where the time of a call went, phase by phase, as far as a browser can know it. */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { formatDuration } from "../ui/format_count.js";

/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {{kind: "queue" | "approval" | "preparation" | "preflight" | "server" | "download" | "upload", label: string, ms: number}} Phase */

/** Shorter ones are left out, but for those that everybody looks for. */
const LEAST_MS = 0.5;

/**
 * @param {Pick<CallEntry, "moments" | "phases_ms" | "response">} entry of a call that has ended
 * @param {number | null} asked_at milliseconds since 1970; null: its user did not ask here
 * @returns {Phase[]} in their order
 */
export function phasesOf({ moments = {}, phases_ms = [], response }, asked_at) {
  const [preparation, request, reading, upload] = phases_ms;
  /** @type {[Phase["kind"], string, number | undefined][]} */
  const phases = [
    ["queue", t`Queue`, queuedFor(moments, asked_at)],
    ["approval", t`Wait for approval`, approvedAfter(moments)],
    ["preparation", t`Preparation`, preparation],
    ...requestPhases(response?.timing, request, reading),
    ["upload", t`To the bridge`, upload],
  ];
  return phases.flatMap(([kind, label, ms]) =>
    ms === undefined || (ms < LEAST_MS && kind !== "server" && kind !== "download") ? [] : [{ kind, label, ms }],
  );
}

/** @param {NonNullable<CallEntry["moments"]>} moments @param {number | null} asked_at */
function queuedFor({ waiting, queued, running }, asked_at) {
  const arrived = waiting ?? running;
  const before = asked_at === null || arrived === undefined ? 0 : arrived - asked_at;
  const after = queued === undefined || running === undefined ? 0 : running - queued;
  return Math.max(0, before + after);
}

/** @param {NonNullable<CallEntry["moments"]>} moments */
function approvedAfter({ waiting, queued, running, failed }) {
  const decided = queued ?? running ?? failed;
  return waiting === undefined || decided === undefined ? undefined : decided - waiting;
}

/**
 * Until the browser connects, a CORS preflight may pass, and its own queue.
 * @param {import("../types/types.js").RequestTiming | null | undefined} timing
 * @param {number | undefined} request until the head of the answer was there @param {number | undefined} reading
 * @returns {[Phase["kind"], string, number | undefined][]}
 */
function requestPhases(timing, request, reading) {
  if (!timing)
    return [
      ["server", t`Server, with preflight and connection`, request],
      ["download", t`Download`, reading],
    ];
  const { fetchStart, requestStart, responseStart, responseEnd } = timing;
  return [
    ["preflight", t`Preflight and connection`, requestStart - fetchStart],
    ["server", t`Server`, responseStart - requestStart],
    ["download", t`Download`, responseEnd - responseStart],
  ];
}

/** @param {Phase[]} phases @returns {HTMLElement | null} null: nothing is known */
export function phasesView(phases) {
  if (phases.length === 0) return null;
  const all = phases.reduce((sum, { ms }) => sum + ms, 0) || 1;
  const bar = el("div", { class: "phase-bar", "aria-hidden": "true" });
  for (const { kind, ms } of phases) {
    const part = el("span", { class: `phase ${kind}` });
    part.style.setProperty("flex-grow", String(ms / all));
    bar.append(part);
  }
  const items = phases.map(({ kind, label, ms }) =>
    el("li", null, el("span", { class: `phase ${kind}`, "aria-hidden": "true" }), `${label} ${formatDuration(ms)}`),
  );
  return el("div", { class: "phases" }, bar, el("ul", { "aria-label": t`Time by phase` }, ...items));
}
