// @ts-check
/** Composition only: enters, builds the parts, and starts everything. */
import { ownName } from "./base/bridge_paths.js";
import { t } from "./base/language.js";
import { deleteUserStore, openDeviceStore, openUserStore } from "./base/browser_store.js";
import { ApprovalNotices } from "./approvals/notifications.js";
import { ApprovalsView } from "./approvals/approvals_view.js";
import { AttentionView } from "./ui/attention_view.js";
import { BridgeApi } from "./session/bridge_api.js";
import { CallControls } from "./session/call_controls.js";
import { ControlsApi } from "./session/controls_api.js";
import { ReadHistory } from "./causes/read_history.js";
import { Credentials } from "./executor/credentials.js";
import { Devices } from "./session/devices.js";
import { dismissibleNotice, fill, link, notice, sentenceOf } from "./ui/dom.js";
import { ExecutorClient } from "./session/executor_client.js";
import { Identity } from "./connection/identity.js";
import { IdentityError } from "./connection/session_tokens.js";
import { InlineCards } from "./session/pending_approvals.js";
import { OWN_VERSION } from "./session/executor_script.js";
import { Inventory } from "./session/inventory.js";
import { readRoute, viewAddress, Router } from "./ui/router.js";
import { followPastedLinks, prepareSkipLink, translateFrame } from "./ui/page_frame.js";
import { reloadOldPage } from "./ui/old_page.js";
import { loadSection } from "./sections.js";
import { loginPanel, takeLoginFailure } from "./session/team_login.js";
import { stopWhileCached } from "./session/page_cache.js";
import { PageGrants } from "./approvals/grants.js";
import { Pins } from "./executor/pins.js";
import { ProbeFrames } from "./session/probe_frames.js";
import { Shortcuts } from "./palette/shortcuts.js";
import { removeDevice } from "./session/removals.js";
import { ReferenceDecisions } from "./documents/reference_decisions.js";
import { willPass } from "./connection/passing_failure.js";
import { forgetWebMcp, WebMcp } from "./session/web_mcp.js";
import { showStatus, StatusView } from "./ui/status_view.js";

/** @typedef {import("./types/view_types.js").Parts} Parts */
/** @typedef {import("./ui/router.js").Route} Route */

const RETRY_MS = 3_000;

/** @param {string} id */
const elementById = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

class App {
  constructor() {
    /** What must be stopped, in the order it was started. @type {{stop: () => void}[]} */
    this.started = [];
    /** Keeps a ticket until it is spent, over all attempts. @type {Identity | null} */
    this.identity = null;
    /** Why this browser is not let in, while it is not. @type {unknown} */
    this.failure = null;
    /** Shown while this browser waits to be confirmed. @type {import("./entrance/pairing_panel.js").PairingPanel | null} */
    this.pairing = null;
    /** Answers in place of a person, if this browser is driven. @type {import("./unattended/unattended_page.js").UnattendedPage | null} */
    this.unattended = null;
    /** The next attempt to enter, while the bridge or its database does not answer. @type {number | undefined} */
    this.nextAttempt = undefined;
    /** Why the login failed from which this browser comes. @type {string | null} */
    this.loginFailure = takeLoginFailure();
    /** The other tabs must not keep working for a user whom this browser no longer belongs to. */
    this.userChanges = new BroadcastChannel(ownName("tool-bridge-user"));
    this.userChanges.onmessage = () => location.reload();
  }

  /**
   * Enters and starts; called again after a failed entrance. Idempotent while it runs.
   * @param {{mayReplace?: boolean, byCode?: boolean}} [how]
   *   `mayReplace`: a ticket may make this another user's browser; `byCode`: it was confirmed just now
   */
  async start({ mayReplace = false, byCode = false } = {}) {
    if (this.started.length > 0) return;
    clearTimeout(this.nextAttempt);
    this.failure = null;
    this.pairing?.stop();
    try {
      this.unattended ??= await findDriver();
      this.identity ??= new Identity(await openDeviceStore(), { nonce: nonceOfPage(), version: OWN_VERSION });
      const entrance = await this.identity.signIn({ mayReplace });
      if (mayReplace || byCode) this.userChanges.postMessage(entrance.user_id);
      const store = await openUserStore(entrance.user_id);
      this.started.push({ stop: () => store.close() });
      if (byCode) announceOwner(entrance.user);
      if (this.loginFailure) elementById("notices").append(dismissibleNotice(notice("error", this.loginFailure)));
      this.loginFailure = null;
      await this.#run(this.#build(store, this.identity, entrance), entrance);
    } catch (failure) {
      void this.#showEntrance(failure);
    }
  }

  stop() {
    for (const part of this.started.splice(0).reverse()) part.stop();
  }

  /**
   * @param {import("./base/browser_store.js").BrowserStore} store
   * @param {Identity} identity
   * @param {import("./connection/identity.js").Entrance} entrance
   * @returns {Parts}
   */
  #build(store, identity, { user, user_id, byTicket, executor: offer }) {
    const api = new BridgeApi(identity);
    const [pins, credentials, reads] = [new Pins(store), new Credentials(store), new ReadHistory(store)];
    const logins = () => store.readRecord("keys", "login origins");
    const executor = new ExecutorClient({ identity, logins, offer: byTicket ? null : offer }); // a ticket accepts more first
    const inventory = new Inventory(api, pins);
    return {
      user,
      userId: user_id,
      store,
      api,
      pins,
      grants: new PageGrants(store),
      credentials,
      executor,
      inventory,
      probes: new ProbeFrames((origin) => reads.listReads(origin)),
      references: new ReferenceDecisions(store),
      devices: new Devices(api, executor),
      controls: new CallControls(new ControlsApi(api), executor),
      webMcp: new WebMcp({ api, inventory, userId: user_id }),
      inline: new InlineCards(),
      leave: () => this.#leave(api, identity, user_id),
    };
  }

  /**
   * At the bridge first: what is deleted here could not sign any more.
   * @param {BridgeApi} api
   * @param {Identity} identity
   * @param {string} user_id
   */
  async #leave(api, identity, user_id) {
    const own = (await api.listDevices()).devices.find((device) => device.this);
    if (own) await removeDevice(api, own.id);
    this.stop();
    await identity.forgetDevice();
    await deleteUserStore(user_id);
    forgetWebMcp(user_id);
    this.userChanges.postMessage(null);
    location.reload();
  }

  /** @param {Parts} parts @param {import("./connection/identity.js").Entrance} entrance */
  async #run(parts, { byTicket }) {
    const { executor, inventory, devices, controls, webMcp } = parts;
    const views = viewsOf(parts);
    this.started.push(executor, devices, controls, ...views, webMcp, { stop: keepFresh(parts) });
    this.started.push({ stop: executor.onState((state) => this.#watchRemoval(state)) });
    this.#openPage(parts);
    const loaded = inventory.loadInventory();
    const { unattended } = this;
    if (unattended) this.started.push(await loaded.then(() => unattended.enter(parts)));
    else if (byTicket) await loaded.then(() => acceptStartupServers(parts));
    this.started.push({ stop: stopWhileCached(executor) });
    executor.start(); // after what was just accepted, so that "connected" means that it can be called
    for (const part of [devices, controls, ...views, webMcp]) part.start();
    void navigator.storage?.persist?.(); // keys and pins must not be swept when the disk is full
    await loaded;
    await this.#refetchDocuments(parts);
  }

  /** What leads to the sections can be used before anything is loaded. @param {Parts} parts */
  #openPage(parts) {
    const open = (/** @type {Route} */ route) => openView(parts, route);
    const navigation = new Router({ list: elementById("sections"), main: elementById("main"), open });
    const shortcuts = new Shortcuts(parts, elementById("open-palette"));
    this.started.push(navigation, shortcuts);
    navigation.start();
    shortcuts.start();
  }

  /** Without it the page still runs calls, so that a file that does not come is said and ends nothing. @param {Parts} parts */
  async #refetchDocuments(parts) {
    const show = (/** @type {HTMLElement} */ note) => elementById("notices").append(dismissibleNotice(note));
    const loaded = await import("./servers/document_refresh.js").catch(() => null);
    if (!loaded)
      return show(
        notice(
          "warning",
          t`Documents are not fetched again: a part of this page could not be loaded. Reload the page.`,
        ),
      );
    const refresh = new loaded.DocumentRefresh(parts, show);
    const stop = parts.executor.onSourceChanged((serverId) => void refresh.refetchServer(serverId));
    this.started.push(refresh, { stop });
    await refresh.refetchAll();
  }

  /** Another device has taken access away from this one, or its user has to log in again. @param {import("./types/types.js").ExecutorState} state */
  #watchRemoval({ connection, error }) {
    const code = error?.code;
    if (connection === "refused" && (code === "device_unknown" || code === "login_ended"))
      queueMicrotask(() => void this.#showEntrance(new IdentityError(code)));
  }

  /** @param {unknown} failure */
  async #showEntrance(failure) {
    this.stop();
    this.failure = failure;
    if (willPass(failure)) this.nextAttempt = window.setTimeout(() => void this.start(), RETRY_MS);
    this.pairing?.stop();
    this.pairing = null;
    showStatus(elementById("connection"), {
      standing: "signed_out",
      label: t`Not connected`,
      hint: t`See what to do on the page.`,
    });
    this.unattended?.reportEntrance(failure);
    const entrance = await import("./entrance/entrance.js").catch(() => null);
    if (this.failure !== failure) return; // it has tried again meanwhile
    if (entrance) this.#showWaysIn(failure, entrance);
    else fill(elementById("main"), notice("error", sentenceOf(failure)));
  }

  /** @param {unknown} failure @param {typeof import("./entrance/entrance.js")} entrance */
  #showWaysIn(failure, { entranceView, mayBePaired, PairingPanel }) {
    const confirmed = () => void this.start({ byCode: true });
    if (this.identity && mayBePaired(failure))
      this.pairing = new PairingPanel(this.identity.code, confirmed, (shown) => this.unattended?.reportCode(shown));
    const again = () => void this.start();
    const stay = () => {
      this.identity?.declineTicket();
      again();
    };
    const change = () => void this.start({ mayReplace: true });
    const ways = [this.pairing && loginPanel(this.loginFailure), this.pairing?.element ?? null];
    fill(elementById("main"), entranceView(failure, { again, stay, change }, ...ways));
    this.pairing?.start();
  }
}

/** What shows in every section how things stand. @param {Parts} parts */
function viewsOf(parts) {
  return [
    new StatusView(elementById("connection"), parts),
    new ApprovalsView(elementById("approvals"), parts),
    new AttentionView(elementById("attention"), parts),
    new ApprovalNotices(parts),
  ];
}

/**
 * Loads the inventory when the bridge says that it changed, and after a connection if it changed before that.
 * @param {Parts} parts
 * @returns {() => void} ends it
 */
function keepFresh({ executor, inventory }) {
  return executor.onChanged("servers", (revision) => {
    const loaded = revision === undefined ? inventory.loadInventory() : inventory.loadRevision(revision);
    loaded.catch(() => undefined);
  });
}

/** Somebody else may have typed the code: whose browser it is now is said at once, with the way out. @param {string} user */
function announceOwner(user) {
  const wayOut = link(t`Not you? Disconnect it under Devices.`, viewAddress("devices"));
  elementById("notices").append(
    dismissibleNotice(notice("good", t`This browser now belongs to ${user}.`, " ", wayOut)),
  );
}

/** @param {Parts} parts */
async function acceptStartupServers(parts) {
  const { StartupAcceptance } = await import("./servers/startup_acceptance.js");
  await new StartupAcceptance(parts, elementById("notices")).acceptServers();
}

/** Who drives this browser put a function here before any script ran, as only they can; other pages load nothing of this. */
async function findDriver() {
  const { toolBridgeDriver: tell } = /** @type {{toolBridgeDriver?: import("./types/unattended_types.d.ts").Tell}} */ (
    globalThis
  );
  if (typeof tell !== "function") return null;
  const { UnattendedPage } = await import("./unattended/unattended_page.js");
  return new UnattendedPage(tell);
}

/** @param {Parts} parts @param {Route} route */
async function openView(parts, route) {
  try {
    return (await loadSection(route))(parts);
  } catch (failure) {
    if (await reloadOldPage(import.meta.url)) await new Promise(() => {}); // it leaves: no error to show
    throw failure;
  }
}

/** For the first session; the bridge puts it into the page. */
function nonceOfPage() {
  return /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=session-nonce]"))?.content ?? "";
}

translateFrame(document);
prepareSkipLink(document);
followPastedLinks();
void new App().start();
loadSection(readRoute(location.hash)).catch(() => undefined); // at the same time as all else; the router says what failed
