// @ts-check
/** The moment in which the page has the bridge again, announced once each time: the executor's state itself changes with every call. */

/**
 * @param {Pick<import("./executor_client.js").ExecutorClient, "onState">} executor
 * @param {() => void} callback
 * @returns {() => void} ends it
 */
export function whenOnline(executor, callback) {
  let was = "offline";
  return executor.onState(({ connection }) => {
    const isBack = connection === "online" && was !== "online";
    was = connection;
    if (isBack) callback();
  });
}
