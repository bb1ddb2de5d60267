// @ts-check
/** What the extension's own pages share. */

/** @param {Record<string, unknown> & {type: string}} request one of `REQUESTS` of service_worker.js @returns {Promise<any>} */
export const sendRequest = (request) => chrome.runtime.sendMessage(request);

/** @param {string} id */
export const findPart = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {{login: boolean, methods: import("./protocol.js").Methods}} grant */
export function describeGrant({ login, methods }) {
  return `${methods === "all" ? "reading and changing" : "reading only"}, ${login ? "with your login" : "without your login"}`;
}
