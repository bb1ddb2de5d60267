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

/**
 * @param {string} text
 * @returns {Promise<string>} the digest that the bridge gives a document of this text
 */
export async function digestOf(text) {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(plain));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
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
    return this.api.replaceDocument(id, { text, source_url: final });
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
  async #refetchQuietly({ id, source_url, digest }) {
    const url = readAddress(source_url ?? "");
    if (!(await isQuiet(url.href))) return;
    const { text, source_url: final } = await this.probes.fetchDocument(url);
    if ((await digestOf(text)) === digest) return;
    await this.api.replaceDocument(id, { text, source_url: final });
    await this.inventory.load();
  }
}
