// @ts-check
/** What the browser measures of a request (Resource Timing): all of it only where the API allows pages to see it. */

/** @typedef {import("../types/types.d.ts").RequestTiming} RequestTiming */
/** @typedef {Pick<PerformanceResourceTiming, "startTime" | "fetchStart" | "connectStart" | "connectEnd" | "requestStart" | "responseStart" | "responseEnd">} Moments */

/** A browser keeps 250, and none beyond that. */
const MAX_ENTRIES = 150;

/** @param {Moments} moments of one request @returns {RequestTiming} */
export function timingOf(moments) {
  const { startTime, fetchStart, connectStart, connectEnd, requestStart, responseStart, responseEnd } = moments;
  const all_ms = round(responseEnd - startTime);
  if (requestStart === 0 || responseStart === 0) return { all_ms, parts: null };
  const parts = {
    preflight_ms: round(Math.min(connectStart, requestStart) - fetchStart),
    connection_ms: round(connectEnd - connectStart),
    server_ms: round(responseStart - requestStart),
    download_ms: round(responseEnd - responseStart),
  };
  return { all_ms, parts };
}

/** @param {number} ms */
const round = (ms) => Math.round(Math.max(0, ms) * 10) / 10;

/** Of the last request to an address. @param {string} url */
export function readTiming(url) {
  const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByName(url, "resource"));
  const last = entries.at(-1);
  if (performance.getEntriesByType("resource").length > MAX_ENTRIES) performance.clearResourceTimings();
  return last ? timingOf(last) : null;
}
