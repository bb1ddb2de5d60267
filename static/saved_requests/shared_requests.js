// @ts-check
/** The saved requests that all who have a server share: on the bridge, changed by its owner and operators alone. */
import { t } from "../base/language.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("./expectations.js").Expectation} Expectation */
/** @typedef {{name: string, operation: string, arguments: JsonObject, expect: Expectation}} SharedRequest */
/** @typedef {{requests: SharedRequest[], version: string}} Shared */

export class SharedRequests {
  /** @param {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} api @param {{server_id: string, key: string}} tool */
  constructor(api, { server_id, key }) {
    this.api = api;
    this.path = `/api/servers/${encodeURIComponent(server_id)}/requests`;
    this.key = key;
  }

  /** Those of the operation. @returns {Promise<SharedRequest[]>} */
  async listRequests() {
    const { requests } = await this.#read();
    return requests.filter(({ operation }) => operation === this.key);
  }

  /** Replaces the one of that name. @param {string} name @param {JsonObject} args @param {Expectation} expect */
  async shareRequest(name, args, expect) {
    const shared = { name, operation: this.key, arguments: args, expect };
    await this.#change((others) => [...others, shared], name);
  }

  /** @param {string} name */
  async removeRequest(name) {
    await this.#change((others) => others, name);
  }

  /** @returns {Promise<Shared>} */
  #read() {
    return this.api.sendRequest("GET", this.path);
  }

  /** @param {(others: SharedRequest[]) => SharedRequest[]} edit gets all but that of the name @param {string} name */
  async #change(edit, name) {
    const { requests, version } = await this.#read();
    const others = requests.filter((each) => each.operation !== this.key || each.name !== name);
    await this.api.sendRequest("PUT", this.path, { requests: edit(others), version });
  }
}

/** What stands beside a shared request. @param {boolean} mayChange */
export const sharedHint = (mayChange) =>
  mayChange
    ? t`Everybody who has this API reads and runs these. Arguments with a secret name are left out.`
    : t`The owner of this API shares these. Read the values before you run them.`;
