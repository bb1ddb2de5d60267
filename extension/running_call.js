// @ts-check
/** One request of a page, from its `call` to its end. It is fetched at most once. */

import { refusalOf } from "./call_ledger.js";
import { IncomingBody, SendWindow, splitBytes } from "./chunks.js";
import { refusal, sizeOf, splitRequest } from "./fence.js";
import { describeError, isBeforeConnection } from "./net_errors.js";
import { CHUNK_BYTES, SAFE_METHODS, WINDOW_CHUNKS } from "./protocol.js";

/** @typedef {import("./protocol.js").CallMessage} CallMessage */
/** @typedef {import("./protocol.js").Grant} Grant */
/** @typedef {import("./protocol.js").HeadMessage} HeadMessage */
/** @typedef {import("./fence.js").Refusal} Refusal */
/** @typedef {(...messages: import("./protocol.js").CompanionMessage[]) => void} Post */

/**
 * What all calls share.
 * @typedef {object} CallEnvironment
 * @property {(bridge: string, call: CallMessage) => Promise<{grant: Grant} | Refusal>} authorizeCall
 * @property {(url: string, ip: string) => boolean} isForbiddenPeer
 * @property {(bridge: string) => import("./call_rate.js").CallRate} rateOf
 * @property {import("./call_ledger.js").CallLedger} ledger
 * @property {import("./net_watch.js").NetWatch} net
 * @property {import("./header_rules.js").HeaderRules} rules
 * @property {import("./contacts.js").Contacts} contacts
 * @property {import("./use_log.js").UseLog} uses
 * @property {(request: Request) => Promise<Response>} fetch
 * @property {() => number} now       milliseconds since the epoch
 * @property {() => string} randomId
 */

/** Ends a call before it was sent. */
class Refused extends Error {
  /** @param {Refusal} refused */
  constructor(refused) {
    super(refused.message);
    this.refused = refused;
  }
}

/** The reason of a call's signal when its page no longer wants it. */
export const CANCELLED = refusal("cancelled", "The call was cancelled.");

export class RunningCall {
  #controller = new AbortController();
  #window = new SendWindow();
  /** @type {IncomingBody | null} */
  #incoming = null;
  #ending = "";
  /** Of our own, after the fetch was answered. */
  #failure = "";

  /** @param {CallMessage} call @param {string} bridge @param {{environment: CallEnvironment, post: Post}} around */
  constructor(call, bridge, { environment, post }) {
    this.call = call;
    this.bridge = bridge;
    this.environment = environment;
    this.post = post;
    if (typeof call.body === "number") this.#incoming = new IncomingBody(call.body);
  }

  get id() {
    return this.call.id;
  }

  /** @param {import("./protocol.js").PartMessage} part */
  addPart({ id, seq, bytes }) {
    if (this.#incoming?.addPart(seq, bytes)) this.post({ type: "ack", id, seq });
    else this.abortCall(refusal("bad_message", "A part of the body is not the next one, or more than was announced."));
  }

  /** @param {number} seq */
  acknowledge(seq) {
    this.#window.acknowledge(seq);
  }

  /** @param {Refusal} reason */
  abortCall(reason) {
    this.#controller.abort(new Refused(reason));
  }

  /** Never throws; posts how it ends. */
  async run() {
    const { environment, call, bridge } = this;
    const size = sizeOf(call.body);
    const rate = environment.rateOf(bridge);
    let isCounted = false;
    try {
      isCounted = rate.beginCall(size);
      if (!isCounted) throw new Refused(refusal("busy", "Too many requests of this bridge at a time or a second."));
      if (this.#incoming) await this.#authorize();
      await this.#send(await this.#receiveBody());
    } catch (error) {
      this.#refuse(error);
    } finally {
      if (isCounted) rate.endCall(size);
    }
    const { origin } = new URL(call.url);
    environment.uses.addUse({
      at: environment.now(),
      bridge,
      api: origin,
      method: call.method,
      login: call.login,
      ending: this.#ending,
    });
  }

  /** @param {unknown} error of what comes before the fetch */
  #refuse(error) {
    const refused = error instanceof Refused ? error.refused : refusal("bad_message", String(error));
    this.#ending = refused.code;
    this.post({ type: "refused", id: this.id, ...refused });
  }

  async #authorize() {
    const answer = await this.environment.authorizeCall(this.bridge, this.call);
    if (!("grant" in answer)) throw new Refused(answer);
    this.#controller.signal.throwIfAborted();
    return answer.grant;
  }

  /** @returns {Promise<Uint8Array<ArrayBuffer> | null>} */
  async #receiveBody() {
    const { body } = this.call;
    if (typeof body !== "number") return body && new Uint8Array(body);
    return /** @type {IncomingBody} */ (this.#incoming).wholeBody(this.#controller.signal);
  }

  /** @param {Uint8Array<ArrayBuffer> | null} body */
  async #send(body) {
    const { net, rules, contacts, randomId } = this.environment;
    const fragment = `#tb-${randomId()}`;
    const url = new URL(fragment, this.call.url).href;
    const { init, byRule } = splitRequest(this.call, await this.#authorize());
    const request = new Request(url, { ...init, body, signal: this.#controller.signal });
    const rule = byRule.length > 0 ? await rules.addRule(url, byRule) : null;
    const { origin } = new URL(url);
    net.watchFetch(fragment);
    try {
      await contacts.beginFetch(origin);
      await this.#recordSent();
      await this.#exchange(request, fragment);
    } finally {
      contacts.endFetch(origin);
      net.forgetFetch(fragment);
      if (rule !== null) void rules.removeRule(rule);
    }
  }

  async #recordSent() {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    const isSafe = SAFE_METHODS.includes(this.call.method);
    const isNew = await this.environment.ledger.recordSent(this.bridge, this.id, isSafe).catch((error) => {
      throw new Refused(refusalOf(error));
    });
    if (!isNew)
      throw new Refused(refusal("duplicate", "This call was sent or withdrawn before; it is not sent again."));
    signal.throwIfAborted();
    if (!isSafe) this.post({ type: "sent", id: this.id });
  }

  /** From here on the request may have arrived. Never throws. @param {Request} request @param {string} fragment */
  async #exchange(request, fragment) {
    try {
      const response = await this.environment.fetch(request);
      this.environment.contacts.noteContact(new URL(request.url).origin);
      await this.#postBody(response, this.#readHead(response, fragment));
    } catch {
      await this.#fail(request.url, fragment);
    }
  }

  /** @param {Response} response @param {string} fragment @returns {Promise<HeadMessage>} @throws {Error} the browser does not tell where it leads */
  async #readHead(response, fragment) {
    const { net, isForbiddenPeer } = this.environment;
    const isRedirect = response.type === "opaqueredirect";
    const redirect = isRedirect ? await net.redirectOf(fragment) : null;
    if (isRedirect && !redirect) throw new Error("a redirect of which nothing is known");
    const { status, statusText: status_text } = response;
    const { ip, ...answer } = redirect ?? {
      status,
      status_text,
      headers: [...response.headers],
      location: null,
      ip: await net.addressOf(fragment),
    };
    if (ip === undefined) throw this.#withhold("unknown_address");
    if (ip && isForbiddenPeer(this.call.url, ip)) throw this.#withhold("forbidden_address");
    this.#ending = String(answer.status);
    return { type: "head", id: this.id, ...answer, ip };
  }

  /** The name of the API led elsewhere, or nobody knows where: what answered is not read. @param {string} failure */
  #withhold(failure) {
    this.#failure = failure;
    this.#controller.abort();
    return new Error(this.#failure);
  }

  /** A short answer goes as one list, each of which passes three processes. It is read at once, while its head waits for the peer's address. @param {Response} response @param {Promise<HeadMessage>} head */
  async #postBody(response, head) {
    const [{ id }, { headers }] = [this, response];
    /** @type {import("./protocol.js").CompanionMessage[]} */
    const held = [];
    let isShort = Number(headers.get("content-length") ?? Infinity) <= CHUNK_BYTES;
    const isWhole = isShort && !headers.has("content-encoding"); // else it may be longer than it says
    let total = 0;
    const headHeld = head.then((message) => held.unshift(message));
    headHeld.catch(() => undefined); // Whoever posts throws it.
    const postHeld = () => headHeld.then(() => this.post(...held.splice(0)));
    try {
      if (!isShort) await postHeld();
      for await (const piece of isWhole ? [new Uint8Array(await response.arrayBuffer())] : (response.body ?? []))
        for (const bytes of splitBytes(piece)) {
          const seq = await this.#window.claimNext(this.#controller.signal);
          total += bytes.byteLength;
          held.push({ type: "chunk", id, seq, bytes });
          isShort &&= held.length < WINDOW_CHUNKS; // what is held is not acknowledged
          if (!isShort) await postHeld();
        }
      held.push({ type: "end", id, bytes: total });
    } finally {
      await postHeld();
    }
  }

  /** @param {string} url @param {string} fragment */
  async #fail(url, fragment) {
    const { net, contacts } = this.environment;
    const { origin } = new URL(url);
    const { aborted } = this.#controller.signal;
    const net_error = this.#failure || (aborted ? "cancelled" : await net.errorOf(fragment));
    const isProven = isBeforeConnection(net_error) && contacts.isAlone(origin);
    if (!isProven) contacts.noteContact(origin);
    this.#ending = net_error;
    this.post({
      type: "failed",
      id: this.id,
      net_error,
      delivered: isProven ? "no" : "unknown",
      message: describeError(net_error, url),
    });
  }
}
