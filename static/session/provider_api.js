// @ts-check
/** Client of the bridge's providers of models. A key goes there and never comes back. */

/** @typedef {import("../types/provider_types.js").Provider} Provider */
/** @typedef {import("../types/provider_types.js").WantedProvider} WantedProvider */

const PATH = "/api/providers";

export class ProviderApi {
  /** @param {Pick<import("./bridge_api.js").BridgeApi, "sendRequest">} bridge */
  constructor(bridge) {
    this.bridge = bridge;
  }

  /** @returns {Promise<import("../types/provider_types.js").ProviderList>} */
  listProviders() {
    return this.bridge.sendRequest("GET", PATH);
  }

  /** @param {string} name @param {WantedProvider} wanted @returns {Promise<Provider>} */
  saveProvider(name, wanted) {
    return this.bridge.sendRequest("PUT", `${PATH}/${encodeURIComponent(name)}`, wanted);
  }

  /** @param {string} name @returns {Promise<void>} */
  removeProvider(name) {
    return this.bridge.sendRequest("DELETE", `${PATH}/${encodeURIComponent(name)}`);
  }

  /** The models that it lists now, and which tools change for it. @param {string} name of a stored one, whose key is used @param {WantedProvider} wanted @returns {Promise<import("../types/provider_types.js").TestedProvider>} */
  testProvider(name, { base_url, api, key, dialect, max_description_chars }) {
    const wanted = { name, base_url, api, key, dialect, max_description_chars };
    return this.bridge.sendRequest("POST", `${PATH}/test`, wanted);
  }
}
