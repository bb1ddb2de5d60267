// @ts-check
/** How an executor's worker ends: after its calls, within bounds. */

/** Milliseconds after which a draining worker is ended, even with unconfirmed results. */
const DRAIN_LIMIT_MS = 300_000;

/**
 * Lets a worker finish its calls while it takes no others, then ends it.
 * @param {Worker} worker
 * @returns {Promise<void>} settles once every result is with the bridge, or the time is up
 */
export function retireWorker(worker) {
  return new Promise((resolve) => {
    const end = () => {
      worker.terminate();
      resolve();
    };
    worker.addEventListener("message", ({ data }) => data.type === "drained" && end());
    worker.postMessage({ type: "drain" });
    setTimeout(end, DRAIN_LIMIT_MS);
  });
}
