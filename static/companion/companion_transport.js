// @ts-check
/**
 * Requests by the companion extension: for APIs that no page may call, and with the user's login where he wants that.
 * It sends a request once, and says truly what became of it; nothing here turns to another transport.
 *
 * It is loaded with the first such call, as a file of its own, so the classes of failures are handed in.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { asHeaderBytes } from "../executor/fetch_init.js";
import { CompanionLink, LinkError } from "./companion_link.js";
import { Exchange, ExchangeEnded } from "./exchange.js";
import { SAFE_METHODS } from "./protocol.js";

export { CompanionLink } from "./companion_link.js";

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/types.d.ts").Passage} Passage */
/** @typedef {import("../types/companion_types.d.ts").HeadMessage} HeadMessage */
/** @typedef {typeof import("../executor/call_failure.js")} Failures */
/** @typedef {import("../executor/call_failure.js").CallFailure} CallFailure */

const MAX_HOPS = 5;
/** An answer of these has no body, and a `Response` takes none. */
const WITHOUT_BODY = new Set([204, 205, 304]);

const GET_IT =
  "The companion extension does not answer. The bridge page says, under the server, how to install it and connect this bridge; or choose there that the page itself calls the API.";
const CONNECT_IT =
  "Open the companion extension from the browser's toolbar while the bridge page is shown, and press Connect.";
const ASK_IT = "Ask for it on the bridge page, under the server.";

/** By code of a refusal: our code, and what to do. @type {Record<string, {code: string, advice?: string, retryable?: boolean}>} */
const REFUSALS = dictionaryOf({
  missing: { code: "companion_missing", retryable: true },
  not_paired: { code: "companion_missing", advice: CONNECT_IT },
  protocol: { code: "companion_refused", advice: "Update the companion extension, or reload the bridge page." },
  not_granted: { code: "companion_refused", advice: ASK_IT },
  login_not_granted: { code: "companion_refused", advice: ASK_IT },
  method_not_granted: { code: "companion_refused", advice: ASK_IT },
  forbidden_target: { code: "blocked_by_policy" },
  forbidden_header: { code: "unsendable" },
  bad_message: { code: "unsendable" },
  too_large: { code: "unsendable" },
  busy: { code: "queue_full", retryable: true },
  storage: { code: "browser_storage_unavailable" },
  cancelled: { code: "companion_missing", retryable: true },
});

export class CompanionTransport {
  /**
   * @param {CompanionLink} link
   * @param {Failures} failures
   */
  constructor(link, failures) {
    this.link = link;
    this.failures = failures;
  }

  /** @returns {Promise<string>} the companion's epoch @throws {CallFailure} nothing was sent */
  async open() {
    try {
      return (await this.link.open()).epoch;
    } catch (error) {
      throw this.#refusal(error instanceof LinkError ? error : new LinkError("missing", String(error)));
    }
  }

  /**
   * @param {BuiltRequest} request
   * @param {Passage} passage
   * @returns {Promise<Response>}
   * @throws {CallFailure}
   */
  async send(request, passage) {
    let [target, { id }] = [request, passage];
    const seen = new Set([request.url]);
    for (let hops = 0; ; hops += 1) {
      const { head, body } = await this.#exchange(target, { ...passage, id }).catch((error) => {
        if (hops > 0 && error instanceof this.failures.CallFailure) error.delivered = "unknown"; // The first one arrived.
        throw error;
      });
      if (head.location === null) return responseOf(head, body);
      void body.cancel();
      const isCircle = seen.has(head.location);
      if (isCircle || hops >= MAX_HOPS || !mayFollow(target, head.location, passage))
        throw this.#redirected(target.url, head.location, passage, isCircle);
      seen.add(head.location);
      [target, id] = [{ ...target, url: head.location }, crypto.randomUUID()];
    }
  }

  /** @param {BuiltRequest} request @param {Passage} passage */
  async #exchange({ method, url, headers, body }, { id, via, signal }) {
    signal.throwIfAborted();
    const epoch = await this.open();
    const written = headers.map(([name, value]) => /** @type {[string, string]} */ ([name, asHeaderBytes(value)]));
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    try {
      return await new Exchange(
        this.link,
        { id, method, url, headers: written, login: via.login },
        bytes,
        signal,
      ).run();
    } catch (error) {
      throw error instanceof ExchangeEnded
        ? await this.#explain(error.ending, { id, epoch, signal, isSafe: SAFE_METHODS.includes(method) })
        : error;
    }
  }

  /**
   * @param {import("./exchange.js").Ending} ending
   * @param {{id: string, epoch: string, signal: AbortSignal, isSafe: boolean}} about `epoch`: when the call was posted; `isSafe`: nothing
   *   of it is written down
   * @returns {Promise<CallFailure>}
   */
  async #explain(ending, { id, epoch, signal, isSafe }) {
    if (ending.kind === "refused") return this.#refusal(ending);
    if (ending.kind === "failed") return this.#netFailure(ending);
    if (ending.kind === "aborted") return this.#stopped(signal, ending.isProven);
    const was = ending.wasSent || isSafe ? null : await this.link.askDid(id);
    const isProven = was?.state === "never" && was.epoch === epoch;
    if (signal.aborted) return this.#stopped(signal, isProven);
    const message = isProven
      ? "The companion extension ended before it sent the request; it was not performed."
      : "The companion extension ended while the request was under way: it was updated, switched off or disconnected, or the browser stopped it.";
    return new this.failures.CallFailure("companion_missing", message, {
      delivered: isProven ? "no" : "unknown",
      retryable: true,
    });
  }

  /** @param {{code: string, message: string}} refused */
  #refusal({ code, message }) {
    const { CallFailure } = this.failures;
    if (code === "duplicate")
      return new CallFailure("internal", "This request was already started; it is not sent twice.", {
        delivered: "unknown",
      });
    const { code: ours, advice, retryable = false } = REFUSALS[code] ?? { code: "companion_refused" };
    const words = code === "missing" ? GET_IT : [message, advice].filter(Boolean).join(" ");
    return new CallFailure(ours, words, { detail: { reason: code }, retryable });
  }

  /** @param {{net_error: string, delivered: "no" | "unknown", message: string}} failed */
  #netFailure({ net_error, delivered, message }) {
    const isLasting = /^ERR_(CERT|SSL|BAD_SSL)_/.test(net_error);
    return new this.failures.CallFailure("network", message, {
      delivered,
      detail: { net_error },
      retryable: !isLasting,
    });
  }

  /** @param {AbortSignal} signal @param {boolean} isProven */
  #stopped(signal, isProven) {
    const stopped = this.failures.stoppedUnderWay(signal);
    if (isProven) stopped.delivered = "no";
    return stopped;
  }

  /** @param {string} url @param {string} location @param {Passage} passage @param {boolean} isCircle */
  #redirected(url, location, { via }, isCircle) {
    const refused = this.failures.redirectRefused(url, location);
    const { origin } = new URL(url);
    const circle = isCircle ? "It redirects in a circle." : "";
    const login = via.login ? "If that is its login page: sign in there in a tab of this browser, then try again." : "";
    const told = `${origin} answered with a redirect to ${refused.detail.location}, which is not followed when a call changes something, carries a secret or a login, or would leave the API.`;
    refused.message = [told, circle, login].filter(Boolean).join(" ");
    return refused;
  }
}

/** Where a page's `fetch` would, and with no login: behind a login a redirect is an answer. @param {BuiltRequest} request @param {string} location @param {Passage} passage */
function mayFollow({ method }, location, { origin, via, mayFollow: isAllowed }) {
  return isAllowed && !via.login && ["GET", "HEAD"].includes(method) && new URL(location).origin === origin;
}

/** @param {HeadMessage} head @param {ReadableStream<Uint8Array>} body */
function responseOf({ status, status_text: statusText, headers }, body) {
  return new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers });
}
