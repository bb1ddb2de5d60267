// @ts-check
/**
 * Connecting bridges, and giving up what was granted: what the extension's own pages ask for. No page of a bridge
 * reaches this.
 *
 * The popup may be closed by the browser's own question, so that what it wanted to connect is remembered; the answer
 * comes as an event.
 */

import { isOrigin, isSecureOrigin } from "./addresses.js";

/**
 * @typedef {object} PairingEnvironment
 * @property {import("./grants.js").Grants} grants
 * @property {import("./host_access.js").HostAccess} access
 * @property {import("./relays.js").Relays} relays
 * @property {{get: (keys: string[]) => Promise<Record<string, any>>, set: (items: Record<string, unknown>) => Promise<void>}} storage  lives as long as the browser's session
 * @property {() => number} now
 */

/** Milliseconds after which the answer to the browser's question is for something else. */
const PENDING_MS = 120_000;

export class Pairing {
  /** @param {PairingEnvironment} environment */
  constructor(environment) {
    this.environment = environment;
  }

  /** Connects it once the browser allows. @param {unknown} bridge @returns {Promise<boolean>} whether it is connected now */
  async pairBridge(bridge) {
    const { storage, now } = this.environment;
    if (!isOrigin(bridge) || !isSecureOrigin(bridge)) return false;
    await storage.set({ pairing: { bridge, until: now() + PENDING_MS } });
    return this.completePairing();
  }

  /** @returns {Promise<boolean>} whether a bridge was connected */
  async completePairing() {
    const { grants, access, relays, storage, now } = this.environment;
    const { pairing } = await storage.get(["pairing"]);
    if (!pairing || pairing.until < now() || !(await access.hasAccess(pairing.bridge))) return false;
    await storage.set({ pairing: null });
    await grants.addBridge(pairing.bridge);
    await relays.registerRelays(grants.bridges);
    await relays.injectRelays([pairing.bridge]);
    return true;
  }

  /** @param {string} bridge */
  async unpairBridge(bridge) {
    const { grants, relays } = this.environment;
    const apis = grants.grantsOf(bridge).map(({ api }) => api);
    await grants.removeBridge(bridge);
    await relays.registerRelays(grants.bridges);
    await this.#dropUnneeded([bridge, ...apis]);
  }

  /** @param {string} bridge @param {string} api */
  async revokeGrant(bridge, api) {
    await this.environment.grants.removeGrant(bridge, api);
    await this.#dropUnneeded([api]);
  }

  /** The user has taken access back in the browser's own settings. */
  async forgetInaccessible() {
    const { grants, access } = this.environment;
    for (const bridge of grants.bridges) if (!(await access.hasAccess(bridge))) await this.unpairBridge(bridge);
    for (const { bridge, api } of grants.all) if (!(await access.hasAccess(api))) await grants.removeGrant(bridge, api);
  }

  /** @param {string[]} origins */
  async #dropUnneeded(origins) {
    const { grants, access } = this.environment;
    for (const origin of origins) if (!grants.needsAccess(origin)) await access.dropAccess(origin);
  }
}
