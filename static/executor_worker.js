// @ts-check
/**
 * The executor's script: a dedicated worker that holds the socket and performs the calls, with exact timers even when its
 * tab is hidden. The page starts and drains it by messages; every tab receives its news on a BroadcastChannel.
 */

import { CallJournal } from "./executor/call_journal.js";
import { watchPolicy } from "./executor/diagnosis.js";
import { openDeviceStore, openUserStore } from "./base/browser_store.js";
import { SessionTokens } from "./connection/session_tokens.js";
import { Executor } from "./worker/executor.js";

/** @typedef {import("./types/types.d.ts").WorkerCommand} WorkerCommand */
/** @typedef {import("./worker/executor.js").StartCommand} StartCommand */

/** The worker's global scope, as far as it is used here (the DOM types describe a window). */
const scope = /** @type {import("./companion/companion_loader.js").WorkerScope} */ (/** @type {unknown} */ (self));

/** @type {Promise<Executor> | null} */
let executor = null;
const wasBlockedByPolicy = watchPolicy(scope);

/** Holds on to the user it was started for, whoever the browser's user is by now. @param {StartCommand} command */
async function startExecutor(command) {
  const identity = new SessionTokens(await openDeviceStore(), { user_id: command.user_id, session: command.session });
  const store = await openUserStore(command.user_id);
  const journal = await CallJournal.openJournal(store, command.user_id, command.worker);
  return new Executor(command, { identity, store, journal, scope, wasBlockedByPolicy });
}

/** @param {WorkerCommand} command */
async function handleCommand(command) {
  if (command.type === "start") executor ??= startExecutor(command);
  const started = await executor;
  if (command.type === "visibility") started?.changeVisibility(command.visibility);
  if (command.type === "drain") started ? started.drainCalls() : scope.postMessage({ type: "drained" });
}

scope.addEventListener(
  "message",
  (event) => void handleCommand(/** @type {MessageEvent<WorkerCommand>} */ (event).data),
);
scope.postMessage({ type: "loaded" });
