// @ts-check
/** A bridge that answers requests and whose socket never opens: what stands before it passes no WebSocket. */

import { bridgePath, SOCKET_PATH } from "../base/bridge_paths.js";

/** A restart of the bridge, or of what stands before it, fails fewer tries and answers no requests meanwhile. */
const TRIES = 3;
const PATIENCE_MS = 3000;

const BLOCKED = Object.freeze({
  code: "socket_blocked",
  message: `The bridge answers, but its WebSocket does not come through. Most likely a proxy, a firewall or an extension between this page and the bridge does not pass it: upgrades for ${SOCKET_PATH}/ must be passed on (how-to: Run behind a proxy).`,
});

export class BlockedSocket {
  #unopened = 0;
  #hasOpened = false;

  /** @param {typeof globalThis.fetch} fetch asks the bridge */
  constructor(fetch) {
    this.fetch = fetch;
  }

  noteOpened() {
    this.#hasOpened = true;
  }

  /** A try that failed without a word of the bridge. @returns {Promise<typeof BLOCKED | null>} null: it may be anything */
  async judgeFailure() {
    this.#unopened += 1;
    if (this.#hasOpened || this.#unopened < TRIES) return null;
    const answer = await this.fetch(bridgePath("/healthz"), {
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch(() => null);
    return answer?.ok && (await answer.json().catch(() => ({}))).status === "ok" ? BLOCKED : null;
  }
}
