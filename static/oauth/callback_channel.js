// @ts-check
/**
 * What the callback page and the page that began a login say to each other. A channel of the own origin works where
 * `window.opener` does not: Cross-Origin-Opener-Policy, of either side, cuts that.
 */

import { ownName } from "../base/bridge_paths.js";

/** @typedef {{type: "answer", parameters: string} | {type: "taken", state: string}} CallbackMessage */

const CHANNEL = ownName("tool-bridge-oauth");

export const openCallbackChannel = () => new BroadcastChannel(CHANNEL);

/**
 * Waits for the answer to one login; answers to others are left to those. A closed window proves nothing, so only
 * `signal` ends the waiting.
 * @param {string} state
 * @param {{signal: AbortSignal, strayed: () => void}} how `strayed`: an answer came that names no login
 * @returns {Promise<URLSearchParams>}
 */
export function awaitAnswer(state, { signal, strayed }) {
  const channel = openCallbackChannel();
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    channel.onmessage = ({ data }) => {
      const message = /** @type {CallbackMessage} */ (data);
      if (message.type !== "answer") return;
      const parameters = new URLSearchParams(message.parameters);
      if (!parameters.has("state")) strayed();
      if (parameters.get("state") !== state) return;
      channel.postMessage({ type: "taken", state });
      resolve(parameters);
    };
  }).finally(() => channel.close());
}
