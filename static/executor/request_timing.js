// @ts-check
/** What the browser measures of a request (Resource Timing): all of it only where the API allows pages to see it. */

/** A browser keeps 250, and none beyond that. */
const MAX_ENTRIES = 150;

/** Of the last request to an address. @param {string} url @param {number} sent_at not before @returns {import("../types/types.d.ts").RequestTiming | null} */
export function readTiming(url, sent_at) {
  const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByName(url));
  if (performance.getEntries().length > MAX_ENTRIES) performance.clearResourceTimings();
  const last = entries.at(-1);
  if (!last?.requestStart || last.responseEnd < sent_at) return null;
  const { fetchStart, requestStart, responseStart, responseEnd } = last;
  return { fetchStart, requestStart, responseStart, responseEnd };
}
