// @ts-check
/** The user's browsers as the bridge knows them, and which one runs calls; loaded anew when the bridge says so. */

import { Announcing } from "../base/announcing.js";
import { dictionaryOf } from "../base/dictionary.js";

/** @typedef {import("../types/api_types.js").Device} Device */
/** @typedef {import("./bridge_api.js").BridgeApi} BridgeApi */
/** @typedef {import("./executor_client.js").ExecutorClient} ExecutorClient */

export class Devices extends Announcing {
  /** @type {(() => void)[]} */
  #subscriptions = [];

  /** @param {BridgeApi} api @param {ExecutorClient} executor */
  constructor(api, executor) {
    super();
    this.api = api;
    this.executor = executor;
    /** @type {Device[]} */
    this.list = [];
    /** Server id to device id. @type {Record<string, string>} */
    this.choices = dictionaryOf({});
  }

  start() {
    const load = () => void this.loadDevices().catch(() => undefined); // The next change tries again.
    this.#subscriptions = [this.executor.onChanged("devices", load)]; // announced after every connection, too
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
  }

  async loadDevices() {
    const { devices, choices } = await this.api.listDevices();
    [this.list, this.choices] = [devices, dictionaryOf(choices)];
    this.announceChange();
  }

  get ownDevice() {
    return this.list.find((device) => device.this);
  }

  /** The browser that runs the calls of servers without a choice. */
  get activeDevice() {
    return this.list.find((device) => device.active);
  }

  /** The browser that runs a server's calls now, which is not the chosen one while that is away. @param {string} serverId */
  runnerOf(serverId) {
    const chosen = this.list.find(({ id }) => id === this.choices[serverId]);
    return chosen?.connected ? chosen : this.activeDevice;
  }
}
