// @ts-check
/** Removing keys and browsers, which takes effect at once, and undoing that within ten seconds: the bridge restores the same. */

/** @typedef {Pick<import("./bridge_api.js").BridgeApi, "sendRequest">} Api */

/** @param {string} id */
const keyPath = (id) => `/api/keys/${encodeURIComponent(id)}`;
/** @param {string} id */
const devicePath = (id) => `/api/devices/${encodeURIComponent(id)}`;

/** @param {Api} api @param {string} id @returns {Promise<void>} */
export const revokeKey = (api, id) => api.sendRequest("DELETE", keyPath(id));

/** @param {Api} api @param {string} id @returns {Promise<void>} */
export const restoreKey = (api, id) => api.sendRequest("POST", `${keyPath(id)}/restore`);

/** @param {Api} api @param {string} id @returns {Promise<void>} */
export const removeDevice = (api, id) => api.sendRequest("DELETE", devicePath(id));

/** @param {Api} api @param {string} id @returns {Promise<void>} */
export const restoreDevice = (api, id) => api.sendRequest("POST", `${devicePath(id)}/restore`);
