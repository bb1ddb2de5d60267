// @ts-check
/**
 * One open conversation: listens to its events, reconnects when the stream breaks, and does what its user asks for. State
 * as data, no DOM. The events are opened before the messages are read, and applied after: nothing falls between.
 */
import { Announcing } from "../base/announcing.js";
import { EMPTY, applyEvent, withHead, withMessages } from "./state.js";
import { leafBelow, pathTo } from "./thread.js";

/** @typedef {import("../session/chat_api.js").ChatApi} ChatApi */
/** @typedef {import("../types/chat_types.js").ChatState} ChatState */
/** @typedef {import("../types/chat_types.js").ChatEvent} ChatEvent */
/** @typedef {import("../types/chat_types.js").Conversation} Conversation */
/** @typedef {"opening" | "live" | "broken" | "gone"} Line  broken: it is tried again by itself */

const RETRY_FIRST_MS = 300;
const RETRY_LAST_MS = 10_000;
/** Events that do not say what has changed. */
const READ_AGAIN = new Set(["reset", "changed", "messages_deleted"]);

export class ChatSession extends Announcing {
  /** @type {AbortController | null} */
  #life = null;
  /** Number of the last event. @type {string | null} */
  #last = null;
  #hasRead = false;
  #failures = 0;
  /** What was chosen last has arrived; a message that is sent right after waits for it. @type {Promise<unknown>} */
  #chosen = Promise.resolve();

  /** @param {ChatApi} api @param {Conversation} conversation as it is known now; its messages are read */
  constructor(api, conversation) {
    super();
    this.api = api;
    this.conversation = conversation;
    /** @type {ChatState} */
    this.state = EMPTY;
    /** @type {Line} */
    this.line = "opening";
  }

  get id() {
    return this.conversation.id;
  }

  /** Whether the messages are there. */
  get isRead() {
    return this.#hasRead;
  }

  start() {
    if (this.#life) return;
    this.#life = new AbortController();
    void this.#listen(this.#life.signal);
  }

  stop() {
    this.#life?.abort();
    this.#life = null;
  }

  /** @param {string} content @param {import("../types/chat_types.js").NewAttachment[]} [attachments] */
  async sendMessage(content, attachments = []) {
    await this.#chosen;
    const message = await this.api.startRun(this.id, { content, ...(attachments.length > 0 ? { attachments } : {}) });
    if (message) this.#apply({ type: "message", timestamp: message.timestamp, data: { message } });
  }

  /** Requests a new answer to a message; also continues an interrupted conversation. @param {string | null} parent_id */
  async requestAnswer(parent_id) {
    await this.#chosen;
    await this.api.startRun(this.id, { content: null, parent_id });
  }

  /** @param {string} messageId @param {string} content */
  async editMessage(messageId, content) {
    const message = await this.api.editMessage(this.id, messageId, content);
    this.#apply({ type: "message", timestamp: message.timestamp, data: { message } });
    await this.requestAnswer(message.id);
  }

  /** Shows the branch through a message. @param {string} messageId */
  async showBranch(messageId) {
    const head_id = leafBelow(this.state, messageId);
    this.#setState(withHead(this.state, head_id));
    await this.changeConversation({ head_id });
  }

  /** @param {import("../types/chat_types.js").ConversationChanges} changes */
  changeConversation(changes) {
    return this.#changeInOrder(() => this.api.changeConversation(this.id, changes));
  }

  /** Which tools the conversation may use from now on. @param {import("../types/chat_types.js").EnabledTool[]} tools @param {boolean} isOn */
  allowTools(tools, isOn) {
    return this.#changeInOrder(async () => {
      for (const tool of tools) await (isOn ? this.api.enableTool(this.id, tool) : this.api.disableTool(this.id, tool));
      return this.api.readConversation(this.id);
    });
  }

  /** One after the other, lest an older choice arrives last. @param {() => Promise<Conversation>} action */
  async #changeInOrder(action) {
    const done = this.#chosen.then(action);
    this.#chosen = done.catch(() => undefined);
    this.conversation = await done;
    this.announceChange();
  }

  async cancelRun() {
    await this.api.stopRun(this.id);
  }

  /** @param {string} toolCallId */
  async retryCall(toolCallId) {
    await this.api.retryCall(this.id, toolCallId);
  }

  /** Where an interrupted conversation continues: its last message, if that is not an answer. @returns {string | null} */
  get unansweredMessage() {
    const last = pathTo(this.state, this.state.head_id).at(-1);
    const isOpen = last && !this.state.run && (last.role !== "assistant" || (last.tool_calls?.length ?? 0) > 0);
    return isOpen ? last.id : null;
  }

  /** @param {AbortSignal} signal */
  async #listen(signal) {
    while (!signal.aborted) {
      try {
        for await (const { id, event } of this.api.readEvents(this.id, this.#last, signal))
          await this.#handleEvent(id, event);
      } catch (failure) {
        if (signal.aborted) return;
        if (/** @type {any} */ (failure).status === 404) return this.#setLine("gone");
      }
      if (signal.aborted) return;
      this.#setLine("broken");
      await pause(Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** this.#failures), signal);
      this.#failures += 1;
    }
  }

  /** @param {string | null} number @param {ChatEvent} event */
  async #handleEvent(number, event) {
    if (READ_AGAIN.has(event.type) || !this.#hasRead) await this.#read();
    if (number !== null) this.#last = number;
    if (event.type === "connected") {
      this.#failures = 0;
      this.#setLine("live");
    }
    this.#apply(event);
  }

  async #read() {
    const [conversation, messages] = await Promise.all([
      this.api.readConversation(this.id),
      this.api.listMessages(this.id),
    ]);
    this.conversation = conversation;
    this.#hasRead = true;
    this.#setState(withMessages(this.state, messages, conversation.head_id));
  }

  /** @param {ChatEvent} event */
  #apply(event) {
    const next = applyEvent(this.state, event);
    if (next !== this.state) this.#setState(next);
  }

  /** @param {ChatState} state */
  #setState(state) {
    this.state = state;
    this.announceChange();
  }

  /** @param {Line} line */
  #setLine(line) {
    if (this.line === line) return;
    this.line = line;
    this.announceChange();
  }
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
