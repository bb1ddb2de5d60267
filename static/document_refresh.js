// @ts-check
/**
 * Fetching documents again, from where this browser is: by button, and once when the page opens.
 * Unasked it only fetches where the browser will not put a question to the user, and it sends on only what is new.
 */
import { addressSpace } from "./address_space.js";
import { networkPermission } from "./diagnosis.js";
import { readAddress } from "./probe_frames.js";

/** @typedef {import("./api_types.js").Server} Server */
/** @typedef {import("./view_types.js").Parts} Parts */

const MEMORY = "tool-bridge-document:";

/** @param {string} text */
async function digestOf(text) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} serverId @param {string} digest */
function remember(serverId, digest) {
  try {
    localStorage.setItem(MEMORY + serverId, digest);
  } catch {
    // Full or forbidden storage costs one upload of an unchanged document, nothing else.
  }
}

/**
 * @param {string} url
 * @returns {Promise<boolean>} fetching it puts no permission question to the user
 */
async function isQuiet(url) {
  const space = addressSpace(new URL(url).hostname);
  if (space === "public" || addressSpace(location.hostname) !== "public") return true;
  return (await networkPermission(space)) === "granted";
}

export class DocumentRefresh {
  /** @param {Parts} parts */
  constructor({ api, probes, inventory }) {
    this.api = api;
    this.probes = probes;
    this.inventory = inventory;
    this.isStopped = false;
  }

  /**
   * @param {{id: string, source_url: string | null}} server
   * @returns {Promise<{id: string, digest: string, changed: number}>} the server as it is now
   * @throws {import("./probe_frames.js").ProbeError | import("./bridge_api.js").ApiError}
   */
  async refetch({ id, source_url }) {
    const { text, source_url: final } = await this.probes.fetchDocument(readAddress(source_url ?? ""));
    const server = await this.api.replaceDocument(id, { text, source_url: final });
    remember(id, await digestOf(text));
    return server;
  }

  /** Own servers with an address, one after another. An API that is down now is not worth a message. */
  async refetchAll() {
    for (const server of this.inventory.servers) {
      if (this.isStopped) return;
      if (!server.shared && server.source_url) await this.#refetchQuietly(server).catch(() => undefined);
    }
  }

  stop() {
    this.isStopped = true;
  }

  /** @param {Server} server */
  async #refetchQuietly({ id, source_url }) {
    const url = readAddress(source_url ?? "");
    if (!(await isQuiet(url.href))) return;
    const { text, source_url: final } = await this.probes.fetchDocument(url);
    const digest = await digestOf(text);
    if (localStorage.getItem(MEMORY + id) === digest) return;
    await this.api.replaceDocument(id, { text, source_url: final });
    remember(id, digest);
    await this.inventory.load();
  }
}
