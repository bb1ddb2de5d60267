// @ts-check
/**
 * The companion: performs requests that a connected bridge's page has built. Composition only. It knows no tool, no
 * document and no bridge API, and stores no secret.
 *
 * It is ended whenever the browser likes; what must outlive it is in `storage`. Listeners are added at once, because an
 * event that wakes it is given to those only; each waits until what is stored is loaded.
 */

import { Asks } from "./asks.js";
import { CallLedger } from "./call_ledger.js";
import { CallRate } from "./call_rate.js";
import { Contacts } from "./contacts.js";
import { findForbiddenTarget, findRefusal, refusal } from "./fence.js";
import { Grants } from "./grants.js";
import { HeaderRules } from "./header_rules.js";
import { HostAccess, isFirefox } from "./host_access.js";
import { NetWatch } from "./net_watch.js";
import { PagePort } from "./page_port.js";
import { Pairing } from "./pairing.js";
import { Relays } from "./relays.js";
import { UseLog } from "./use_log.js";

const { runtime, storage, tabs } = chrome;
const now = () => Date.now();
const randomId = () => crypto.randomUUID();
const session = /** @type {any} */ (storage.session);
const local = /** @type {any} */ (storage.local);

/** @type {Set<PagePort>} */
const ports = new Set();
/** @type {Map<string, CallRate>} */
const rates = new Map();
const rateOf = (/** @type {string} */ bridge) =>
  /** @type {CallRate} */ (rates.set(bridge, rates.get(bridge) ?? new CallRate(now)).get(bridge));

const access = new HostAccess(chrome.permissions);
const grants = new Grants(local, { now, changed: announceChange });
const ledger = new CallLedger(session, { now, randomId });
const contacts = new Contacts(local);
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const uses = new UseLog(local, pause);
const rules = new HeaderRules(chrome.declarativeNetRequest);
const relays = new Relays(chrome.scripting, tabs);
const { onHeadersReceived, onBeforeRedirect, onResponseStarted, onErrorOccurred } = /** @type {any} */ (
  chrome.webRequest
);
// For redirects that are not followed Firefox has only the former, which in Chromium makes every fetch slower (0.6 ms, measured).
const net = new NetWatch(
  { redirects: isFirefox() ? onHeadersReceived : onBeforeRedirect, onResponseStarted, onErrorOccurred },
  pause,
);
const pairing = new Pairing({ grants, access, relays, storage: session, now });
const hasAccess = (/** @type {string} */ origin) => access.hasAccess(origin);
const asks = new Asks({
  tabs,
  storage: session,
  getUrl: (path) => runtime.getURL(path),
  grants,
  hasAccess,
  randomId,
  now,
});

/** @type {import("./page_port.js").PortEnvironment} */
const environment = {
  version: runtime.getManifest().version,
  grantsOf: (bridge) => grants.grantsOf(bridge),
  openAsk: (port, ask) => asks.openAsk(port, ask),
  cancelAsk: (port, id) => asks.cancelAsk(port, id),
  calls: {
    authorizeCall,
    isForbiddenPeer,
    rateOf,
    ledger,
    net,
    rules,
    contacts,
    uses,
    fetch: (request) => fetch(request),
    now,
    randomId,
  },
};

/** @type {Promise<import("./fence.js").Refusal | null> | null} */
let loading = null;
/** Whoever comes next tries again. @returns {Promise<import("./fence.js").Refusal | null>} why nothing can be done */
const load = () =>
  (loading ??= loadState().catch((error) => {
    loading = null;
    return refusal("storage", `The browser does not let the companion store what it must know: ${error}`);
  }));
/** @param {() => unknown} action */
const onceLoaded = async (action) => (await load()) ?? action();
void load();

/** @returns {Promise<null>} */
async function loadState() {
  await storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
  const [isFirst] = await Promise.all([
    ledger.loadEntries(),
    grants.loadGrants(),
    contacts.loadContacts(),
    uses.loadUses(),
    asks.loadQuestions(),
  ]);
  void rules.sweepRules();
  await relays.registerRelays(grants.bridges);
  // After an update, and when it was switched off and on, of which no event tells: pages that are open get their relay.
  if (isFirst) void relays.injectRelays(grants.bridges);
  return null;
}

/** @type {import("./running_call.js").CallEnvironment["authorizeCall"]} */
async function authorizeCall(bridge, call) {
  if (!grants.isPaired(bridge)) return refusal("not_paired", "This bridge is not connected in the companion.");
  const { origin } = new URL(call.url);
  const refused = findRefusal(call, { grant: grants.findGrant(bridge, origin), bridges: grants.bridges });
  if (refused) return refused;
  const isAllowed = await hasAccess(origin);
  const grant = grants.findGrant(bridge, origin);
  return isAllowed && grant
    ? { grant }
    : refusal("not_granted", `The browser does not allow the companion to call ${origin}.`);
}

/** Where a name leads is known once it was answered. @param {string} url @param {string} ip */
function isForbiddenPeer(url, ip) {
  const { protocol, port } = new URL(url);
  const peer = new URL(`${protocol}//${ip.includes(":") ? `[${ip}]` : ip}${port && `:${port}`}`);
  return findForbiddenTarget(peer, grants.bridges) !== null;
}

/** @param {string} bridge */
function announceChange(bridge) {
  for (const port of ports) {
    if (port.bridge !== bridge) continue;
    if (grants.isPaired(bridge)) void port.announceGrants();
    else endPort(port);
  }
}

/** @param {PagePort} port */
function endPort(port) {
  port.abortAll();
  asks.forgetPort(port);
  ports.delete(port);
  port.port.disconnect();
}

/** @param {chrome.runtime.MessageSender} sender @returns {string} "" unless it is the relay in a page that is shown */
function originOf({ id, frameId, url = "", ...sender }) {
  const origin = sender.origin ?? (URL.canParse(url) ? new URL(url).origin : "");
  const isActive = (sender.documentLifecycle ?? "active") === "active";
  return id === runtime.id && frameId === 0 && isActive ? origin : "";
}

runtime.onConnect.addListener((port) => {
  const bridge = originOf(port.sender ?? {});
  const page = new PagePort(port, bridge, environment);
  port.onDisconnect.addListener(() => endPort(page));
  port.onMessage.addListener(async (message) => {
    const refused =
      (await load()) ??
      (grants.isPaired(bridge) ? null : refusal("not_paired", "This bridge is not connected in the companion."));
    if (refused) page.post({ type: "refused", id: "", ...refused });
    else await page.handleMessage(message);
  });
  ports.add(page);
});

/** What the extension's own pages may ask for. @type {Record<string, (message: any) => unknown>} */
const REQUESTS = {
  view: () => ({ bridges: grants.bridges, grants: grants.all, uses: uses.uses }),
  pair: ({ bridge }) => pairing.pairBridge(bridge),
  unpair: ({ bridge }) => pairing.unpairBridge(bridge),
  revoke: ({ bridge, api }) => pairing.revokeGrant(bridge, api),
  question: ({ key }) => asks.findQuestion(key),
  decide: ({ key, decision }) => asks.decideQuestion(key, decision),
};

runtime.onMessage.addListener((message, sender, respond) => {
  const isOwnPage = sender.id === runtime.id && (sender.url ?? "").startsWith(runtime.getURL(""));
  if (!isOwnPage || !Object.hasOwn(REQUESTS, message?.type)) return false;
  void onceLoaded(() => REQUESTS[message.type](message)).then((answer) => respond(answer ?? null));
  return true;
});

runtime.onStartup.addListener(() => void onceLoaded(() => contacts.forgetContacts()));
chrome.permissions.onAdded.addListener(() => void onceLoaded(() => pairing.completePairing()));
chrome.permissions.onRemoved.addListener(() => {
  access.forgetAccess();
  void onceLoaded(() => pairing.forgetInaccessible());
});
tabs.onRemoved.addListener((tab) => void onceLoaded(() => asks.tabClosed(tab)));
