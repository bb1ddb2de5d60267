// @ts-check
/** The page's side of the probe frames: one hidden frame per question, for the one origin it is about. */
import { bridgePath } from "../base/bridge_paths.js";
import { t, verbatim } from "../base/language.js";
import { asSaid } from "../base/said.js";
import { el } from "../ui/dom.js";

/** @typedef {import("../types/probe_wire.js").ProbeReply} ProbeReply */
/** @typedef {Extract<ProbeReply, {ok: true}>} ProbeAnswer */
/** @typedef {import("../types/document_types.js").Following} Following */

/** A frame that does not even load within this time is blocked or the bridge is gone. */
const LOAD_MS = 10_000;

export class ProbeError extends Error {
  /** @param {string} code @param {string | import("../base/said.js").Said} words @param {import("../types/probe_wire.js").FetchedDocument} [page] there instead */
  constructor(code, words, page) {
    const { message, sentence, values } = asSaid(words);
    super(message);
    this.sentence = sentence;
    this.values = values;
    this.name = verbatim("ProbeError");
    this.code = code;
    this.page = page;
  }
}

/** @param {string} text @returns {URL} @throws {ProbeError} when it is not an http(s) address */
export function readAddress(text) {
  const trimmed = text.trim();
  if (/^[\w-]+$/.test(trimmed) && trimmed.toLowerCase() !== "localhost")
    throw new ProbeError(
      "bad_address",
      t`“${trimmed}” is a word, not an address. If it is a host of your network, write http://${trimmed}/ in full.`,
    );
  const guess = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = URL.canParse(guess) ? new URL(guess) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || trimmed === "") {
    throw new ProbeError(
      "bad_address",
      t`This is not an http or https address, such as https://api.example/openapi.json.`,
    );
  }
  if (url.username || url.password) {
    throw new ProbeError(
      "bad_address",
      t`Leave the name and password out of the address; add them as a credential later.`,
    );
  }
  return url;
}

export class ProbeFrames {
  /** @param {(origin: string) => Promise<import("../types/types.js").PastRead[]>} listReads what this page could read of it before */
  constructor(listReads) {
    this.listReads = listReads;
  }

  /**
   * Fetches a document, or the tools of an MCP server, from where this browser is. Start it from a click: the browser
   * may ask for permission.
   * @param {URL} url
   * @param {import("../types/types.js").CredentialSet} [credentials] sent to an MCP server only
   * @param {Following} [following]
   * @returns {Promise<import("../types/probe_wire.js").FetchedDocument>}
   * @throws {ProbeError} with the diagnosis; as the signal says
   */
  async fetchDocument(url, credentials = {}, following = {}) {
    const reply = await this.#ask({ type: "probe:document", url, credentials }, following);
    if ("text" in reply) return reply;
    throw new ProbeError("network", t`The probe returned no document.`);
  }

  /**
   * Looks for a document of an API.
   * @param {URL} url
   * @param {string[]} places of its origin
   * @param {Following} [following]
   * @returns {Promise<{url: string, title: string}[]>}
   */
  async findDocuments(url, places, following) {
    const reply = await this.#ask({ type: "probe:find", url, places }, following);
    return "found" in reply ? reply.found : [];
  }

  /**
   * Tells whether this page can use an origin, and what to change if not.
   * @param {URL} url
   * @returns {Promise<import("../types/probe_wire.js").CheckReport>}
   */
  async checkAddress(url) {
    const reply = await this.ask("probe:check", url);
    if ("report" in reply) return reply.report;
    throw new ProbeError("network", t`The probe returned no report.`);
  }

  /**
   * @param {import("../types/probe_wire.js").ProbeRequest["type"]} type
   * @param {URL} url
   * @param {import("../types/types.js").CredentialSet} [credentials]
   * @param {import("../types/probe_wire.js").SentRequest} [request] of a login
   * @returns {Promise<ProbeAnswer>}
   */
  ask(type, url, credentials = {}, request = undefined) {
    return this.#ask({ type, url, credentials, request });
  }

  /**
   * @param {{type: import("../types/probe_wire.js").ProbeRequest["type"], url: URL, credentials?: import("../types/types.js").CredentialSet,
   *   request?: import("../types/probe_wire.js").SentRequest, places?: string[]}} question
   * @param {Following} [following]
   * @returns {Promise<ProbeAnswer>}
   */
  async #ask({ url, credentials = {}, ...question }, { signal, onAmount } = {}) {
    const frame = el("iframe", {
      src: bridgePath(`/probe?origin=${encodeURIComponent(url.origin)}`),
      class: "probe",
      title: t`Probe`,
      "aria-hidden": "true",
      tabindex: "-1",
    });
    const listening = new AbortController();
    const reads = await this.listReads(url.origin);
    signal?.throwIfAborted();
    try {
      return await new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { signal: listening.signal });
        exchangeMessages({
          frame,
          asked: { ...question, url: url.href, credentials, reads },
          resolve,
          reject,
          onAmount,
          signal: listening.signal,
        });
      });
    } finally {
      listening.abort();
      frame.remove(); // which ends what it still fetches
    }
  }
}

/**
 * @param {{frame: HTMLIFrameElement, asked: Omit<import("../types/probe_wire.js").ProbeRequest, "id">, signal: AbortSignal,
 *   onAmount: Following["onAmount"], resolve: (reply: ProbeAnswer) => void, reject: (failure: ProbeError) => void}} talk
 */
function exchangeMessages({ frame, asked, resolve, reject, onAmount, signal }) {
  const id = crypto.randomUUID();
  const timer = setTimeout(
    () => reject(new ProbeError("unreachable", t`The bridge does not answer. Is it still running?`)),
    LOAD_MS,
  );
  /** @param {MessageEvent<ProbeReply>} event */
  const receive = ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    clearTimeout(timer);
    if (data.type === "probe:ready") frame.contentWindow?.postMessage({ ...asked, id }, location.origin);
    else if (data.id !== id) return;
    else if (data.type === "probe:bytes") onAmount?.({ bytes: data.bytes, total: null });
    else if (data.ok) resolve(data);
    else reject(new ProbeError(data.error.code, data.error, data.error.page));
  };
  window.addEventListener("message", receive, { signal });
  document.body.append(frame);
}
