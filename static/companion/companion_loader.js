// @ts-check
/** Loads the companion's transport when the first call wants it: most browsers never need it. */

import * as failures from "../executor/call_failure.js";

/** @typedef {import("../types/types.d.ts").WorkerReply} WorkerReply */
/** @typedef {import("../types/types.d.ts").Transport} Transport */
/** @typedef {EventTarget & {postMessage: (reply: WorkerReply) => void}} WorkerScope */

const OLD_PAGE = "This bridge page is older than its bridge. Reload the page.";

/** A worker cannot reach the extension's relay; its page can. @param {WorkerScope} scope @returns {Promise<MessagePort>} */
function askPageForPort(scope) {
  return new Promise((resolve) => {
    const listener = (/** @type {Event} */ event) => {
      const { data } = /** @type {MessageEvent<import("../types/types.d.ts").WorkerCommand>} */ (event);
      if (data.type !== "companion_port") return;
      scope.removeEventListener("message", listener);
      resolve(data.port);
    };
    scope.addEventListener("message", listener);
    scope.postMessage({ type: "companion_wanted" });
  });
}

/** @typedef {Transport & {askDid: import("./companion_link.js").CompanionLink["askDid"]}} LoadedCompanion */

/** @param {WorkerScope} scope the worker's @returns {LoadedCompanion} */
export function companionTransport(scope) {
  /** @type {Promise<import("./companion_transport.js").CompanionTransport> | null} */
  let loaded = null;
  const load = () => {
    loaded ??= import("./companion_transport.js").then(
      ({ CompanionTransport, CompanionLink }) =>
        new CompanionTransport(new CompanionLink(() => askPageForPort(scope)), failures),
      () => {
        loaded = null;
        throw new failures.CallFailure("no_browser", OLD_PAGE);
      },
    );
    return loaded;
  };
  return {
    open: async () => (await load()).open(),
    askDid: async (id) => (await load()).link.askDid(id),
    send: async (request, passage) => (await load()).send(request, passage),
  };
}
