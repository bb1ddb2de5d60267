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

/** A double-click takes half a second at most: its first press may have closed what lay above. */
const ARMING_MS = 500;

/** It takes no press for a moment after its page came to the front, and none of a key held down. @param {HTMLElement} button */
export function guardButton(button) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const arm = () => {
    clearTimeout(timer);
    button.ariaDisabled = "true";
    timer = setTimeout(() => (button.ariaDisabled = "false"), ARMING_MS);
  };
  arm();
  addEventListener("focus", arm);
  document.addEventListener("visibilitychange", arm);
  document.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
  button.addEventListener("click", (event) => button.ariaDisabled === "true" && event.preventDefault());
}

/** @param {{login: boolean, methods: import("./protocol.js").Methods}} grant */
export function describeGrant({ login, methods }) {
  return `${methods === "all" ? "reading and changing" : "reading only"}, ${login ? "with your login" : "without your login"}`;
}
