// @ts-check
/**
 * Fetching documents again, from where this browser is: by button, and once when the page opens.
 * Unasked it only fetches where the browser will not put a question to the user, and it sends on only what is new.
 */
import { t } from "../base/language.js";
import { addressSpace } from "../executor/address_space.js";
import { networkPermission } from "../executor/network_permission.js";
import { readVia } from "../executor/transport_choice.js";
import { PLACE, inText, link, notice } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { isOfOther, isOwn } from "../session/ownership.js";
import { ChosenProbes } from "../documents/chosen_probes.js";
import { ProbeError, readAddress } from "../session/probe_frames.js";
import { LoadingStopped, ReferenceLoader } from "../documents/reference_loader.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/reference_types.js").Question} Question */
/** @typedef {import("../types/reference_types.js").Answer} Answer */

/** Milliseconds for which a document is not asked for again when the page opens. */
const FRESH_MS = 3_600_000;

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

/**
 * Of what another user shares that user says the address: an operator's browser would fetch it, and everybody could read what is there.
 * @param {Pick<Server, "source_url" | "may_change" | "shared_by">} server whether its document may be fetched again by button
 */
export const mayRefetch = (server) => server.source_url !== null && server.may_change && !isOfOther(server);

export class DocumentRefresh {
  /**
   * @param {Parts} parts
   * @param {(note: HTMLElement) => void} [show] says what needs the user's decision; unasked refetching needs it
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(
    { api, probes, inventory, references, credentials, store },
    show = () => undefined,
    now = () => Date.now(),
  ) {
    this.api = api;
    this.probes = probes;
    this.inventory = inventory;
    this.references = references;
    this.credentials = credentials;
    this.store = store;
    this.show = show;
    this.now = now;
    this.isStopped = false;
  }

  /**
   * What was refused before, or could not be had, is asked about again.
   * @param {Pick<Server, "id" | "kind" | "source_url">} server
   * @param {(question: Question) => Promise<Answer | null>} ask
   * @returns {Promise<{id: string, digest: string, changed: number}>} the server as it is now
   * @throws {ProbeError | LoadingStopped | import("../session/api_error.js").ApiError}
   */
  async refetchDocument(server, ask) {
    const { id, source_url } = server;
    const probes = this.#probesOf(server);
    const fetched = await this.#fetchDocument(probes, id, readAddress(source_url ?? ""));
    const { origins } = await this.references.decisionsOf(id);
    const granted = Object.fromEntries(Object.entries(origins).filter(([, isGranted]) => isGranted));
    const gathering = new ReferenceLoader({ api: this.api, probes }, ask, { origins: granted, without: {} });
    const { text, decisions } = await gathering.loadReferences(fetched);
    await this.references.saveDecisions(id, decisions);
    return this.api.replaceDocument(id, { text, source_url: fetched.source_url });
  }

  /** A document comes the way that was chosen for its origin; the companion does not list the tools of MCP servers. @param {Pick<Server, "id" | "kind">} server @returns {import("../documents/chosen_probes.js").DocumentProbes} */
  #probesOf({ id, kind }) {
    if (kind === "mcp") return this.probes;
    return new ChosenProbes(
      this.probes,
      async (origin) => (await readVia(this.store, id, origin)).transport === "companion",
    );
  }

  /** An MCP server may ask for what the user has saved for it. @param {import("../documents/chosen_probes.js").DocumentProbes} probes @param {string} id @param {URL} url */
  async #fetchDocument(probes, id, url) {
    const stored = await this.credentials.loadCredentials(id, url.origin);
    if (!("oauth" in (stored["*"] ?? {}))) return probes.fetchDocument(url, stored);
    const { freshCredentials } = await import("./login_view.js");
    return probes.fetchDocument(
      url,
      await freshCredentials(this.credentials, /** @type {any} */ (this.probes), id, url.origin),
    );
  }

  /** Own servers with an address, one after another. An API that is down now is not worth a message. */
  async refetchAll() {
    for (const server of this.inventory.servers) {
      if (this.isStopped) return;
      if (isOwn(server) && server.source_url) await this.#refetchQuietly(server).catch(() => undefined);
    }
  }

  /** One server whose source is known to have changed. @param {string} id */
  async refetchServer(id) {
    const server = this.inventory.servers.find((each) => each.id === id && isOwn(each) && each.source_url);
    if (server && !this.isStopped) await this.#refetchNow(server).catch(() => undefined);
  }

  stop() {
    this.isStopped = true;
  }

  /** @param {Server} server */
  async #refetchQuietly(server) {
    if (await this.#isDue(server.id, readAddress(server.source_url ?? ""))) await this.#refetchNow(server);
  }

  /** @param {Server} server */
  async #refetchNow(server) {
    const { id, title, source_url, digest } = server;
    const url = readAddress(source_url ?? "");
    if (!(await isQuiet(url.href))) return;
    const probes = this.#probesOf(server);
    const fetched = await this.#fetchDocument(probes, id, url);
    await this.references.saveFetchTime(id, this.now());
    if ((await digestOf(fetched.text)) === digest) return;
    try {
      const quiet = { api: this.api, probes: { fetchDocument: (/** @type {URL} */ one) => fetchQuietly(probes, one) } };
      const { text } = await new ReferenceLoader(
        quiet,
        refuseQuestion,
        await this.references.decisionsOf(id),
      ).loadReferences(fetched);
      if ((await digestOf(text)) === digest) return;
      await this.api.replaceDocument(id, { text, source_url: fetched.source_url });
      await this.inventory.loadInventory();
    } catch (failure) {
      if (failure instanceof LoadingStopped && failure.origins.length > 0)
        this.show(pausedNotice(id, title, failure.origins));
    }
  }

  /**
   * What is on this machine costs nothing, and is often somebody's own API that he has just changed.
   * @param {string} id @param {URL} url
   */
  async #isDue(id, url) {
    if (addressSpace(url.hostname) === "loopback") return true;
    return Math.abs(this.now() - (await this.references.readFetchTime(id))) >= FRESH_MS;
  }
}

/** @param {import("../documents/chosen_probes.js").DocumentProbes} probes @param {URL} url */
async function fetchQuietly(probes, url) {
  if (await isQuiet(url.href)) return probes.fetchDocument(url);
  throw new ProbeError("blocked_local_network", t`The browser would ask for a permission.`);
}

/** What cannot be had just now is no reason to change a server. @returns {Promise<null>} */
const refuseQuestion = async () => null;

/** @param {string} id @param {string} title @param {string[]} origins */
function pausedNotice(id, title, origins) {
  return notice(
    "warning",
    ...inText(
      t`The document of ${title} refers to others at ${origins.join(", ")}. It stays as it was until you decide: ${PLACE}.`,
      link(t`refetch the document`, viewAddress("servers", id)),
    ),
  );
}
