// @ts-check
/**
 * Documents by the companion extension, for origins whose answers no page may read: each request is a GET without a body, without
 * headers of ours and without cookies. Redirects are followed within the origin only. What the user has granted decides whether it is sent.
 */

import { readDocument, tryDocument } from "./document_answer.js";
import { findDocuments, SEARCH_MS } from "./document_search.js";
import { BY_COMPANION } from "../executor/transport_choice.js";
import { ProbeError } from "../session/probe_frames.js";

/** @typedef {import("../types/probe_wire.js").FetchedDocument} FetchedDocument */
/** @typedef {import("../types/types.js").Transport} Transport */

/** As long as a probe frame waits. */
const PATIENCE_MS = 60_000;

export class CompanionDocuments {
  /** @param {Pick<Transport, "send">} companion */
  constructor(companion) {
    this.companion = companion;
  }

  /** @param {URL} url @param {import("../types/document_types.js").Following} [following] @returns {Promise<FetchedDocument>} @throws {ProbeError} as the signal says */
  async fetchDocument({ href }, { signal, onAmount } = {}) {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const read = await this.#get(href, signal ? AbortSignal.any([signal, patience]) : patience)
      .then((response) => readDocument(href, response, (bytes) => onAmount?.({ bytes, total: null })))
      .catch(asProbeError);
    signal?.throwIfAborted();
    if ("text" in read) return read;
    throw new ProbeError(read.code, read, read.page);
  }

  /** @param {string[]} places of one origin @returns {Promise<{url: string, title: string}[]>} */
  findDocuments(places) {
    const signal = AbortSignal.timeout(SEARCH_MS);
    return findDocuments(places, (place) => tryDocument(place, this.#get(place, signal)));
  }

  /** Whether anything answers. @param {URL} url @returns {Promise<number>} its HTTP status @throws {ProbeError} */
  async askStatus({ href }) {
    const response = await this.#get(href).catch(asProbeError);
    void response.body?.cancel();
    return response.status;
  }

  /** @param {string} url @param {AbortSignal} [signal] */
  #get(url, signal = AbortSignal.timeout(PATIENCE_MS)) {
    const request = { method: "GET", url, headers: [], body: null, unsendable: [] };
    return this.companion.send(request, {
      origin: new URL(url).origin,
      via: BY_COMPANION,
      id: crypto.randomUUID(),
      mayFollow: true,
      signal,
    });
  }
}

/** @param {unknown} failure a `CallFailure`, or what broke off while it was read @returns {never} */
function asProbeError(failure) {
  const { code = "network", message = String(failure) } = /** @type {{code?: unknown, message?: string}} */ (failure);
  throw new ProbeError(typeof code === "string" ? code : "network", message);
}
