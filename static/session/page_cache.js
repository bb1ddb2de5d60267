// @ts-check
/**
 * The page in the browser's back/forward cache. A page that is left in its tab is frozen there with its socket open: the
 * bridge would send it calls that nobody runs until the socket's ping times out, so it is gone as if it was closed.
 */

/**
 * Stops the executor when the page enters the cache, and starts it again when *Back* shows the page.
 * @param {Pick<import("./executor_client.js").ExecutorClient, "start" | "stop">} executor
 * @param {EventTarget} [target] what hears `pagehide` and `pageshow`
 * @returns {() => void} ends it
 */
export function stopWhileCached(executor, target = window) {
  const life = new AbortController();
  /** @param {string} type @param {() => void} act */
  const onCaching = (type, act) =>
    target.addEventListener(type, (event) => /** @type {PageTransitionEvent} */ (event).persisted && act(), {
      signal: life.signal,
    });
  onCaching("pagehide", () => executor.stop());
  onCaching("pageshow", () => executor.start());
  return () => life.abort();
}
