// @ts-check
/** The requests by which a diagnosis looks at an API: without body, headers, cookies or referrer, and never for long. */

/** A probe of a host that is up answers in milliseconds; one that drops packets never does. */
const PROBE_TIMEOUT_MS = 3000;

/**
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {RequestInit} how method, mode and redirect
 * @returns {Promise<Response | "refused" | "silent">}
 */
export async function sendProbe(fetch, url, how) {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    return await fetch(url, { ...how, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", signal });
  } catch {
    return signal.aborted ? "silent" : "refused";
  }
}
