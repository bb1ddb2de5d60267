// @ts-check
/** The conversation with one executor of one bridge's page; what it says decides nothing that the user has not granted. */

import { refusalOf } from "./call_ledger.js";
import { refusal } from "./fence.js";
import { readMessage } from "./messages.js";
import { BODY_BYTES, PROTOCOL } from "./protocol.js";
import { CANCELLED, RunningCall } from "./running_call.js";

/** @typedef {import("./protocol.js").PageMessage} PageMessage */
/** @typedef {import("./running_call.js").CallEnvironment} CallEnvironment */
/** @typedef {import("./fence.js").Refusal} Refusal */

/**
 * @typedef {object} PortEnvironment
 * @property {CallEnvironment} calls
 * @property {string} version
 * @property {(bridge: string) => import("./protocol.js").Grant[]} grantsOf
 * @property {(port: PagePort, ask: import("./protocol.js").AskMessage) => Promise<void>} openAsk
 * @property {(port: PagePort, id: string) => void} cancelAsk
 */

const BUSY = refusal("busy", "Too many messages of this bridge a second.");
const GONE = refusal("cancelled", "The page is gone.");

export class PagePort {
  /** @type {Map<string, RunningCall>} */
  #calls = new Map();
  #isGreeted = false;

  /** @param {Pick<chrome.runtime.Port, "postMessage" | "disconnect">} port @param {string} bridge the origin of its page @param {PortEnvironment} environment */
  constructor(port, bridge, environment) {
    this.port = port;
    this.bridge = bridge;
    this.environment = environment;
  }

  /** @param {import("./protocol.js").CompanionMessage[]} messages lost when the page is gone */
  post = (...messages) => {
    try {
      this.port.postMessage(messages);
    } catch {
      this.abortAll();
    }
  };

  /** @param {unknown} received */
  async handleMessage(received) {
    const read = readMessage(received);
    if (this.#isTooMuch(read)) return this.#refuseTooMuch(read);
    if ("fault" in read) return this.#refuse(read.id, refusal("bad_message", read.fault));
    const { message } = read;
    if (message.type === "hello") return this.#greet(message.protocols);
    if (!this.#isGreeted)
      return this.#refuse("id" in message ? message.id : "", refusal("protocol", "Say hello first."));
    await this.#handle(message);
  }

  /** What the user has granted is another thing now: calls that are not covered any more end. */
  async announceGrants() {
    const { calls, grantsOf } = this.environment;
    if (this.#isGreeted) this.post({ type: "changed", grants: grantsOf(this.bridge) });
    for (const running of this.#calls.values()) {
      const answer = await calls.authorizeCall(this.bridge, running.call);
      if (!("grant" in answer)) running.abortCall(answer);
    }
  }

  /** As a closed tab does. */
  abortAll() {
    for (const running of this.#calls.values()) running.abortCall(GONE);
  }

  /** Calls are counted when they run, and what is said of one that runs ends with it. @param {ReturnType<typeof readMessage>} read */
  #isTooMuch(read) {
    const { type, id } = /** @type {{type: string, id: string}} */ (
      "message" in read ? read.message : { type: "", id: "" }
    );
    const isOfRunning = ["part", "ack", "cancel"].includes(type) && this.#calls.has(id);
    return type !== "call" && !isOfRunning && !this.environment.calls.rateOf(this.bridge).takeMessage();
  }

  /** Only who waits for an answer gets one: of a call, a refusal would say that it was not sent. @param {ReturnType<typeof readMessage>} read */
  #refuseTooMuch(read) {
    const { type, id = "" } = /** @type {{type: string, id?: string}} */ (
      "message" in read ? read.message : { type: "" }
    );
    if (["hello", "did", "ask"].includes(type)) this.#refuse(id, BUSY);
  }

  /** @param {number[]} protocols */
  #greet(protocols) {
    if (!protocols.includes(PROTOCOL))
      return this.#refuse("", refusal("protocol", `This companion speaks protocol ${PROTOCOL}.`));
    this.#isGreeted = true;
    const { version, grantsOf, calls } = this.environment;
    this.post({
      type: "ready",
      protocol: PROTOCOL,
      version,
      epoch: calls.ledger.epochOf(this.bridge),
      grants: grantsOf(this.bridge),
    });
  }

  /** @param {Exclude<PageMessage, {type: "hello"}>} message */
  async #handle(message) {
    if (message.type === "ping") this.post({ type: "pong" });
    if (message.type === "call") await this.#startCall(message);
    if (message.type === "part") this.#calls.get(message.id)?.addPart(message);
    if (message.type === "ack") this.#calls.get(message.id)?.acknowledge(message.seq);
    if (message.type === "cancel") this.#cancel(message.id);
    if (message.type === "did") await this.#answerDid(message.id);
    if (message.type === "ask") await this.environment.openAsk(this, message);
  }

  /** @param {import("./protocol.js").CallMessage} call */
  async #startCall(call) {
    if (this.#calls.has(call.id) || this.environment.calls.ledger.wasSent(this.bridge, call.id))
      return this.#refuse(call.id, refusal("duplicate", "This call was sent before."));
    if (typeof call.body === "number" && call.body > BODY_BYTES)
      return this.#refuse(call.id, refusal("too_large", `The body is larger than ${BODY_BYTES} bytes.`));
    const running = new RunningCall(call, this.bridge, { environment: this.environment.calls, post: this.post });
    this.#calls.set(call.id, running);
    await running.run();
    this.#calls.delete(call.id);
  }

  /** @param {string} id */
  #cancel(id) {
    this.#calls.get(id)?.abortCall(CANCELLED);
    this.environment.cancelAsk(this, id);
  }

  /** @param {string} id */
  async #answerDid(id) {
    const { ledger } = this.environment.calls;
    try {
      const state = await ledger.voidUnlessSent(this.bridge, id);
      this.post({ type: "was", id, state, epoch: ledger.epochOf(this.bridge) });
    } catch (error) {
      this.#refuse(id, refusalOf(error));
    }
  }

  /** @param {string} id @param {Refusal} refused */
  #refuse(id, refused) {
    this.post({ type: "refused", id, ...refused });
  }
}
