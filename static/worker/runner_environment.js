// @ts-check
/** What performs the calls of a worker: with its stores, its ways to APIs and to the bridge, and its log. */

import { readsAddressSpaces } from "../executor/address_space.js";
import { Credentials } from "../executor/credentials.js";
import { explainRedirect } from "../causes/redirects.js";
import { ReadHistory } from "../causes/read_history.js";
import { diagnoseFailure } from "../executor/diagnosis.js";
import { networkPermission } from "../executor/network_permission.js";
import { loginLoader } from "../oauth/login_loader.js";
import { mcpLoader } from "../executor/mcp_loader.js";
import { PageTransport } from "../executor/page_transport.js";
import { Pins } from "../executor/pins.js";
import { readTiming } from "../executor/request_timing.js";
import { uploadResult } from "../executor/result_upload.js";

/** @typedef {import("../types/runner_types.d.ts").RunnerEnvironment} RunnerEnvironment */
/**
 * @typedef {object} RunnerParts
 * @property {import("../base/browser_store.js").BrowserStore} store
 * @property {import("../executor/result_upload.js").Way} way
 * @property {RunnerEnvironment["observer"]} log
 * @property {RunnerEnvironment["journal"]} journal
 * @property {ReturnType<typeof import("../companion/companion_loader.js").companionTransport>} companion
 * @property {import("../executor/transport_choice.js").TransportChoices} choices
 * @property {ReturnType<typeof import("../executor/diagnosis.js").watchPolicy>} wasBlockedByPolicy
 * @property {RunnerEnvironment["limits"]} limits
 * @property {string[]} origins  those that the worker may reach
 * @property {() => boolean} isConnected
 * @property {(news: import("../types/types.d.ts").WorkerNews) => void} tell
 */

/** @param {RunnerParts} parts @returns {RunnerEnvironment} */
export function runnerEnvironment(parts) {
  const { store, way, companion, choices, limits, tell } = parts;
  const send = way.fetch;
  const pins = new Pins(store);
  const reads = new ReadHistory(store);
  const page = { fetch: send, pageUrl: location.href };
  return {
    ...page,
    transports: { page: new PageTransport(page), companion },
    findVia: (serverId, origin) => choices.findVia(serverId, origin),
    now: () => performance.now(),
    listPins: () => pins.listAllPins(),
    findPin: (serverId, key) => pins.findPin(serverId, key),
    loadCredentials: loginsOf(parts),
    noteRead: (serverId, request) => reads.noteRead(serverId, request),
    explainRedirect: (url) => explainRedirect(url, send),
    diagnoseFailure: diagnosisBy(parts, reads),
    uploadResult: (call, content, contentType, signal) => uploadResult(way, call, content, contentType, signal),
    limits,
    loadMcp: mcpLoader(limits, (server_id) => tell({ type: "source_changed", server_id })),
    observer: parts.log,
    tellProgress: ({ call_id }, progress) => tell({ type: "progress", call_id, progress }),
    readTiming,
    journal: parts.journal,
    isConnected: parts.isConnected,
  };
}

/** @param {RunnerParts} parts */
function loginsOf({ store, way, companion, choices, tell }) {
  return loginLoader({
    credentials: new Credentials(store),
    fetch: way.fetch,
    companion,
    choices,
    loginsChanged: () => tell({ type: "changed", subject: "logins" }),
  });
}

/** @param {RunnerParts} parts @param {ReadHistory} reads @returns {RunnerEnvironment["diagnoseFailure"]} */
function diagnosisBy({ way, origins, wasBlockedByPolicy }, reads) {
  const environment = {
    fetch: way.fetch,
    pageUrl: location.href,
    permission: networkPermission,
    isLocalExempt: readsAddressSpaces(),
    wasBlockedByPolicy,
    isOnline: () => navigator.onLine,
    listReads: (/** @type {string} */ origin) => reads.listReads(origin),
  };
  return (failed) => diagnoseFailure({ ...failed, origins }, environment);
}
