// @ts-check
/** Client of the bridge's conversations: the stored ones, their runs, and the events of a run. */
import { t } from "../base/language.js";
import { EventStream } from "../base/event_stream.js";

/** @typedef {import("./bridge_api.js").BridgeApi} BridgeApi */
/** @typedef {import("../types/chat_types.js").Conversation} Conversation */
/** @typedef {import("../types/chat_types.js").ListedConversation} ListedConversation */
/** @typedef {import("../types/chat_types.js").Message} Message */
/** @typedef {import("../types/chat_types.js").EnabledTool} EnabledTool */
/** @typedef {{id: string | null, event: import("../types/chat_types.js").ChatEvent}} Numbered */

const LISTED = 50;
/** The bridge sends something every 15 s; a stream that is silent for longer is dead, even if the browser reports it open. */
const SILENCE_MS = 40_000;

/** @param {string} id @param {...string} rest */
const pathOf = (id, ...rest) =>
  ["/conversations", id, ...rest].map((part, index) => (index ? encodeURIComponent(part) : part)).join("/");

export class ChatApi {
  /** @param {Pick<BridgeApi, "sendLast" | "sendRequest" | "openStream" | "listModelFacts" | "readBlob">} bridge */
  constructor(bridge) {
    this.bridge = bridge;
  }

  /** The models that may be asked. @returns {Promise<import("../types/chat_types.js").ListedModel[]>} */
  listModels() {
    return this.bridge.listModelFacts();
  }

  /** Newest first. @param {string | null} before where to read on @returns {Promise<{conversations: ListedConversation[], next: string | null}>} */
  async listConversations(before) {
    const at = before === null ? "" : `&before=${encodeURIComponent(before)}`;
    const { conversations, next } = await this.bridge.sendRequest("GET", `/conversations?limit=${LISTED}${at}`);
    return { conversations, next: next === null ? null : String(next) };
  }

  /** In their order. @returns {Promise<ListedConversation[]>} */
  async listPinned() {
    return (await this.bridge.sendRequest("GET", "/conversations?pinned=true&limit=200")).conversations;
  }

  /** Has the bridge read the texts, so that the first search is quick. @returns {Promise<void>} */
  async prepareSearch() {
    await this.bridge.sendRequest("GET", "/conversations/search?prepare=true");
  }

  /** @param {string} words @returns {Promise<ListedConversation[]>} */
  async searchConversations(words) {
    return (await this.bridge.sendRequest("GET", `/conversations/search?q=${encodeURIComponent(words)}`)).conversations;
  }

  /** @param {import("../types/chat_types.js").NewConversation} wanted @returns {Promise<Conversation>} */
  async createConversation(wanted) {
    return (await this.bridge.sendRequest("POST", "/conversations", wanted)).conversation;
  }

  /** @param {string} id @returns {Promise<Conversation>} */
  async readConversation(id) {
    return (await this.bridge.sendRequest("GET", pathOf(id))).conversation;
  }

  /** @param {string} id @param {import("../types/chat_types.js").ConversationChanges} changes @returns {Promise<Conversation>} */
  async changeConversation(id, changes) {
    return (await this.bridge.sendRequest("PATCH", pathOf(id), changes)).conversation;
  }

  /** @param {string} id @param {boolean} isLeaving the page is left now @returns {Promise<void>} */
  removeConversation(id, isLeaving) {
    const path = pathOf(id);
    return isLeaving ? this.bridge.sendLast("DELETE", path) : this.bridge.sendRequest("DELETE", path);
  }

  /** Of all branches, oldest first. @param {string} id @returns {Promise<Message[]>} */
  async listMessages(id) {
    return (await this.bridge.sendRequest("GET", `${pathOf(id, "messages")}?branch=all`)).messages;
  }

  /** Writes a message anew, beside the old one. @param {string} id @param {string} messageId @param {string} content @returns {Promise<Message>} */
  async editMessage(id, messageId, content) {
    return (await this.bridge.sendRequest("PATCH", pathOf(id, "messages", messageId), { content })).message;
  }

  /**
   * Begins a run; the events report its progress.
   * @param {string} id
   * @param {{content: string | null, parent_id?: string | null, attachments?: import("../types/chat_types.js").NewAttachment[]}} asked  no content: the message `parent_id` is answered again
   * @returns {Promise<Message | null>} the message as it is stored
   */
  async startRun(id, asked) {
    return (
      (await this.bridge.sendRequest("POST", pathOf(id, "chat"), { ...asked, background: true })).user_message ?? null
    );
  }

  /** A file of a message. @param {string} id @param {string} messageId @param {number} number @returns {Promise<Blob>} */
  readAttachment(id, messageId, number) {
    return this.bridge.readBlob(pathOf(id, "messages", messageId, "attachments", String(number)));
  }

  /** @param {string} id @returns {Promise<void>} settles when the run is over */
  stopRun(id) {
    return this.bridge.sendRequest("POST", pathOf(id, "stop"));
  }

  /** Runs an ended call again, in a branch of its own. @param {string} id @param {string} toolCallId @returns {Promise<void>} */
  retryCall(id, toolCallId) {
    return this.bridge.sendRequest("POST", pathOf(id, "calls", toolCallId, "retry"), { background: true });
  }

  /** @param {string} id @param {EnabledTool} tool @returns {Promise<void>} */
  enableTool(id, { server_id, tool_name }) {
    return this.bridge.sendRequest("POST", pathOf(id, "tools"), { server_id, tool_name });
  }

  /** @param {string} id @param {EnabledTool} tool @returns {Promise<void>} */
  disableTool(id, { server_id, tool_name }) {
    return this.bridge.sendRequest("DELETE", `${pathOf(id, "tools")}?${new URLSearchParams({ server_id, tool_name })}`);
  }

  /**
   * What happens, from now on or after the event `after`; ends when the line does.
   * @param {string} id
   * @param {string | null} after
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<Numbered>}
   */
  async *readEvents(id, after, signal) {
    const silence = new SilenceTimer(SILENCE_MS);
    try {
      const ended = AbortSignal.any([signal, silence.signal]);
      const headers = { accept: "text/event-stream", ...(after === null ? {} : { "last-event-id": after }) };
      const reader = (await this.bridge.openStream(pathOf(id, "events"), headers, ended)).getReader();
      const stream = new EventStream();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        silence.restartTimer();
        for (const { id: number, data } of stream.readEvents(piece.value))
          yield { id: number, event: JSON.parse(data) };
      }
    } finally {
      silence.stopTimer();
    }
  }
}

/** Aborts a stream that has been silent for a while. */
class SilenceTimer {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {number} ms */
  constructor(ms) {
    this.ms = ms;
    this.restartTimer();
  }

  get signal() {
    return this.#controller.signal;
  }

  restartTimer() {
    this.stopTimer();
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(t`The bridge has been silent for too long.`)),
      this.ms,
    );
  }

  stopTimer() {
    clearTimeout(this.#timer);
  }
}
