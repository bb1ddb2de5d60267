// @ts-check
/** A companion extension of paper: it does what a test tells it, writes down what it performed, and can end at any message. */
import * as failures from "../../../static/executor/call_failure.js";
import { CompanionLink, CompanionTransport } from "../../../static/companion/companion_transport.js";
import { bench } from "./runner_bench.js";

/** @typedef {import("../../../static/types/companion_types.d.ts").PageMessage} PageMessage */
/** @typedef {import("../../../static/types/companion_types.d.ts").CallMessage} CallMessage */
/** @typedef {import("../../../static/types/companion_types.d.ts").Grant} Grant */
/** @typedef {{port: any, say: (message: object) => void, call: CallMessage}} Running */

/** Timers that a test moves. */
export class FakeTimers {
  now = 0;
  /** @type {{action: () => void, at: number}[]} */
  waiting = [];

  /** @param {() => void} action @param {number} milliseconds */
  set(action, milliseconds) {
    const timer = { action, at: this.now + milliseconds };
    this.waiting.push(timer);
    return timer;
  }

  /** @param {unknown} timer */
  clear(timer) {
    this.waiting = this.waiting.filter((each) => each !== timer);
  }

  /** Lets time pass, and what follows from it happen. @param {number} milliseconds */
  async pass(milliseconds) {
    this.now += milliseconds;
    for (const due of this.waiting.filter(({ at }) => at <= this.now).sort((a, b) => a.at - b.at)) {
      this.clear(due);
      due.action();
      await settle();
    }
    await settle();
  }
}

/** What has been posted is heard, and answered. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

export class FakeCompanion {
  timers = new FakeTimers();
  isThere = true;
  epoch = "e1";
  /** @type {Grant[]} */
  grants = [{ api: "https://api.example", login: true, methods: "all" }];
  /** Everything that the page said. @type {PageMessage[]} */
  heard = [];
  /** Ids of the requests that were performed. @type {string[]} */
  performed = [];
  /** By id: sent, or void. @type {Map<string, "sent" | "void">} */
  ledger = new Map();
  /** What it does with a call. @type {(running: Running) => void} */
  handleCall = (running) => this.answerCall(running);
  /** @type {any} */
  port = null;

  /** @returns {any} */
  openPort() {
    const port = { onmessage: /** @type {((event: {data: object}) => void) | null} */ (null), isClosed: false };
    const say = (/** @type {object} */ message) => queueMicrotask(() => port.onmessage?.({ data: message }));
    Object.assign(port, {
      close: () => (port.isClosed = true),
      postMessage: (/** @type {PageMessage} */ message, /** @type {Transferable[]} */ transfer = []) => {
        const copy = structuredClone(message, { transfer });
        queueMicrotask(() => this.isThere && !port.isClosed && this.#hear(copy, port, say));
      },
      say,
    });
    return port;
  }

  /** @param {PageMessage} message @param {any} port @param {(message: object) => void} say */
  #hear(message, port, say) {
    this.heard.push(message);
    if (message.type === "hello") {
      this.port = port;
      say({ type: "ready", protocol: 1, version: "1.0", epoch: this.epoch, grants: this.grants });
    }
    if (message.type === "call") this.handleCall({ port, say, call: message });
    if (message.type === "ping") say({ type: "pong" });
    if (message.type === "did") {
      if (!this.ledger.has(message.id)) this.ledger.set(message.id, "void");
      say({ type: "was", id: message.id, state: this.ledger.get(message.id) === "sent" ? "sent" : "never", epoch: this.epoch });
    }
  }

  /** @param {Running} running @returns {boolean} false: it is a duplicate */
  sendCall({ call, say }) {
    if (this.ledger.has(call.id)) return say({ type: "refused", id: call.id, code: "duplicate", message: "Known." }), false;
    this.ledger.set(call.id, "sent");
    this.performed.push(call.id);
    say({ type: "sent", id: call.id });
    return true;
  }

  /** @param {Running} running @param {object} [change] of the head @param {string[]} [texts] */
  answerCall(running, change = {}, texts = ['{"ok":', "true}"]) {
    if (!this.sendCall(running)) return;
    for (const message of answerOf(running.call.id, change, texts)) running.say(message);
  }

  /** The service worker has ended, for whatever reason. */
  end() {
    this.port?.say({ type: "gone" });
    if (this.port) this.port.isClosed = true;
  }

  /** @param {string} type */
  heardOf(type) {
    return this.heard.filter((message) => message.type === type);
  }
}

/** @param {string} id @param {object} [change] of the head @param {string[]} [texts] @returns {object[]} */
export function answerOf(id, change = {}, texts = ['{"ok":', "true}"]) {
  const chunks = texts.map((text, seq) => ({ type: "chunk", id, seq, bytes: new TextEncoder().encode(text).buffer }));
  const head = { type: "head", id, status: 200, status_text: "OK", headers: [["content-type", "application/json"]], location: null, ip: null, ...change };
  return [head, ...chunks, { type: "end", id, bytes: chunks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) }];
}

/**
 * A runner whose one operation is called through it.
 * @param {import("../../../static/types/types.d.ts").RequestPlan} asked
 * @param {{login?: boolean, headers?: [string, string][], fetch?: typeof globalThis.fetch}} [how]
 */
export function companionBench(asked, { login = false, headers = [], fetch } = {}) {
  const companion = new FakeCompanion();
  const link = new CompanionLink(() => companion.openPort(), { timers: companion.timers });
  const transport = new CompanionTransport(link, failures);
  const forbidden = async () => Promise.reject(new Error("The page itself must not send it."));
  const made = bench(asked, {
    fetch: fetch ?? forbidden,
    transports: /** @type {any} */ ({ companion: transport }),
    findVia: async () => ({ transport: "companion", login, headers }),
    limits: { inline_result_bytes: 1000, result_bytes: 5_000_000, file_bytes: 5_000_000 },
  });
  return { ...made, companion, link, transport };
}
