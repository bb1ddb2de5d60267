// @ts-check
/** One request at the companion, from its `call` to its end; how it ended is told without loss. */

import { CHUNK_BYTES, WINDOW_CHUNKS } from "./protocol.js";

/** @typedef {import("../types/companion_types.d.ts").AnswerMessage} AnswerMessage */
/** @typedef {import("../types/companion_types.d.ts").CallMessage} CallMessage */
/** @typedef {import("../types/companion_types.d.ts").HeadMessage} HeadMessage */
/** @typedef {import("./companion_link.js").CompanionLink} CompanionLink */

/** Milliseconds that the companion has to say whether a cancelled call was sent. */
const CANCEL_MS = 500;

/**
 * It ended before there was an answer. refused: never sent, and never will be · failed: as `fetch` rejects · lost: the
 * port ended, after `sent` or perhaps before · aborted: by our signal, and proven unsent or not.
 * @typedef {{kind: "refused", code: string, message: string} | {kind: "failed", net_error: string, delivered: "no" | "unknown", message: string}
 *   | {kind: "lost", wasSent: boolean} | {kind: "aborted", isProven: boolean}} Ending
 */
export class ExchangeEnded extends Error {
  /** @param {Ending} ending */
  constructor(ending) {
    super(ending.kind);
    this.ending = ending;
  }
}

export class Exchange {
  /** @type {"posted" | "sent" | "answered" | "over"} */
  #state = "posted";
  #answer = /** @type {PromiseWithResolvers<{head: HeadMessage, body: ReadableStream<Uint8Array>}>} */ (
    Promise.withResolvers()
  );
  /** Parts that the companion has taken. */
  #taken = 0;
  #partTaken = () => {};
  /** Chunks that nobody has read. @type {{seq: number, bytes: ArrayBuffer}[]} */
  #chunks = [];
  #next = 0;
  #received = 0;
  #hasEnd = false;
  /** @type {ReadableStreamDefaultController<Uint8Array> | null} */
  #stream = null;
  /** Lets the one who reads go on. @type {(() => void) | null} */
  #wanted = null;

  /**
   * @param {CompanionLink} link that is open
   * @param {Omit<CallMessage, "type" | "body">} call
   * @param {Uint8Array<ArrayBuffer> | null} body
   * @param {AbortSignal} signal
   */
  constructor(link, call, body, signal) {
    this.link = link;
    this.call = call;
    this.body = body;
    this.signal = signal;
    this.cancel = () => this.#cancel();
  }

  /** @returns {Promise<{head: HeadMessage, body: ReadableStream<Uint8Array>}>} @throws {ExchangeEnded} */
  run() {
    const { link, call, body, signal } = this;
    link.listen(call.id, (message) => this.#receive(message));
    signal.addEventListener("abort", this.cancel, { once: true });
    const isLong = body !== null && body.byteLength > CHUNK_BYTES;
    const whole = body && !isLong ? body.slice().buffer : null;
    link.post({ type: "call", ...call, body: isLong ? body.byteLength : whole }, whole ? [whole] : []);
    if (isLong) void this.#postParts(body);
    return this.#answer.promise;
  }

  /** @param {Uint8Array<ArrayBuffer>} body */
  async #postParts(body) {
    for (let seq = 0; seq * CHUNK_BYTES < body.byteLength; seq += 1) {
      while (seq - this.#taken >= WINDOW_CHUNKS)
        await new Promise((resolve) => (this.#partTaken = () => resolve(true)));
      if (this.#state !== "posted") return;
      const { buffer } = body.slice(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
      this.link.post({ type: "part", id: this.call.id, seq, bytes: buffer }, [buffer]);
    }
  }

  /** @param {AnswerMessage} message */
  #receive(message) {
    const { type } = message;
    if (type === "sent" && this.#state === "posted") this.#state = "sent";
    if (type === "ack") this.#taken = message.seq + 1;
    if (type === "head") this.#begin(message);
    if (type === "chunk") this.#take(message);
    if (type === "end") this.#finish(message.bytes);
    if (type === "refused")
      this.#fail(this.#endingOf(message.code, { kind: "refused", code: message.code, message: message.message }));
    if (type === "failed")
      this.#fail(
        this.#endingOf(message.net_error, {
          kind: "failed",
          net_error: message.net_error,
          delivered: message.delivered,
          message: message.message,
        }),
      );
    if (type === "lost") this.#fail({ kind: "lost", wasSent: this.#state !== "posted" });
    this.#partTaken();
  }

  /** @param {string} code @param {Ending} ending @returns {Ending} */
  #endingOf(code, ending) {
    return code === "cancelled" && this.signal.aborted
      ? { kind: "aborted", isProven: ending.kind === "refused" }
      : ending;
  }

  /** @param {HeadMessage} head */
  #begin(head) {
    if (this.#state === "over" || this.#stream) return;
    this.#state = "answered";
    const pull = () =>
      new Promise((/** @type {(value: void) => void} */ resolve) => {
        this.#wanted = resolve;
        this.#feed();
      });
    const start = (/** @type {ReadableStreamDefaultController<Uint8Array>} */ stream) => void (this.#stream = stream);
    const body = new ReadableStream({ start, pull, cancel: () => this.#abandon() }, { highWaterMark: 0 });
    this.#answer.resolve({ head, body });
  }

  /** @param {{seq: number, bytes: ArrayBuffer}} chunk */
  #take({ seq, bytes }) {
    if (seq !== this.#next) return this.#fail({ kind: "lost", wasSent: true });
    this.#next += 1;
    this.#received += bytes.byteLength;
    this.#chunks.push({ seq, bytes });
    this.#feed();
  }

  /** @param {number} bytes that were sent */
  #finish(bytes) {
    if (bytes !== this.#received) return this.#fail({ kind: "lost", wasSent: true });
    this.#hasEnd = true;
    this.#leave();
    this.#feed();
  }

  /** What is read is acknowledged: so the companion is never more than a window ahead. */
  #feed() {
    const chunk = this.#wanted ? this.#chunks.shift() : undefined;
    if (chunk) {
      this.#stream?.enqueue(new Uint8Array(chunk.bytes));
      if (!this.#hasEnd) this.link.post({ type: "ack", id: this.call.id, seq: chunk.seq });
    } else if (this.#hasEnd && this.#chunks.length === 0 && this.#state === "answered") {
      this.#state = "over";
      this.#stream?.close();
    } else return;
    this.#wanted?.();
    this.#wanted = null;
  }

  /** @param {Ending} ending */
  #fail(ending) {
    if (this.#state === "over") return;
    const isReading = this.#state === "answered";
    this.#state = "over";
    this.#leave();
    if (!isReading) return this.#answer.reject(new ExchangeEnded(ending));
    this.#stream?.error(
      this.signal.aborted
        ? this.signal.reason
        : new Error("message" in ending ? ending.message : "The companion extension ended."),
    );
    this.#wanted?.();
  }

  #cancel() {
    this.link.post({ type: "cancel", id: this.call.id });
    if (this.#state === "answered") return this.#fail({ kind: "aborted", isProven: false });
    this.link.timers.set(() => this.#fail({ kind: "aborted", isProven: false }), CANCEL_MS);
  }

  /** Nobody reads on. */
  #abandon() {
    if (this.#state !== "answered") return;
    this.#state = "over";
    this.link.post({ type: "cancel", id: this.call.id });
    this.#leave();
  }

  #leave() {
    this.link.forget(this.call.id);
    this.signal.removeEventListener("abort", this.cancel);
  }
}
