// @ts-check
/** What the extension's own pages share. */

/** @param {Record<string, unknown> & {type: string}} request one of `REQUESTS` of service_worker.js @returns {Promise<any>} @throws {Error} nothing can be done; it is shown why */
export async function sendRequest(request) {
  const answer = await chrome.runtime.sendMessage(request);
  if (!answer?.code) return answer;
  /** @type {HTMLElement} */ (document.querySelector("[role=status]")).textContent = answer.message;
  throw new Error(answer.message);
}

/** @param {string} id */
export const findPart = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {{login: boolean, methods: import("./protocol.js").Methods}} grant */
export function describeGrant({ login, methods }) {
  return `${methods === "all" ? "reading and changing" : "reading only"}, ${login ? "with your login" : "without your login"}`;
}
