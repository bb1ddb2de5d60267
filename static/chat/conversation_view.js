// @ts-check
/** One conversation on the screen, or one that has not begun: head, settings, turns and the field for the next message. */
import { t } from "../base/language.js";
import { beginConversation, emptyChoices, toolKey } from "./beginning.js";
import { ChatComposer, DEMO } from "./composer.js";
import { ChatHeader } from "./header.js";
import { ChatSession } from "./session.js";
import { SettingsPane } from "./settings_pane.js";
import { ScreenReader } from "./screen_reader.js";
import { EMPTY } from "./state.js";
import { ChatThreadView } from "./thread_view.js";
import { searchedCount, welcomeView } from "./welcome.js";
import { announceSentence, button, el, fill, notice } from "../ui/dom.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/chat_types.js").ChatState} ChatState */
/** @typedef {import("../types/chat_types.js").EnabledTool} EnabledTool */
/** @typedef {{begun: (id: string) => void, changed: () => void, removed: () => void, placeAbove: (id: string) => number | null, list: (isShown: boolean) => void}} PaneNews */
/** @typedef {import("../types/chat_types.js").Parameters} Parameters */

export class ConversationView {
  /** @type {ChatSession | null} */
  #session = null;
  #chosen = emptyChoices();
  /** @type {import("../types/chat_types.js").ListedModel[]} */
  #models = [];
  /** @type {string[]} */
  #examples = [];
  #heard = EMPTY;
  /** What the choices were last shown of. @type {import("../types/chat_types.js").Conversation | null | undefined} */
  #offered = undefined;
  /** @type {(() => void)[]} */
  #subscriptions = [];
  #unlisten = () => {};

  /** @param {Parts} parts @param {import("../session/chat_api.js").ChatApi} chat @param {PaneNews} news */
  constructor(parts, chat, news) {
    this.parts = parts;
    this.chat = chat;
    this.news = news;
    this.head = new ChatHeader({
      rename: (title) => this.#change({ title }),
      remove: () => this.#remove(),
      pin: (isPinned) => void this.#change({ pinned: isPinned }),
      moveUp: () => this.#moveUp(),
      settings: (isShown) => void this.settings.show(isShown),
      list: news.list,
    });
    this.settings = new SettingsPane({
      instruct: (text) => this.#changePrompt(text),
      allow: (tools, isOn) => this.#allowTools(tools, isOn),
      tune: (parameters) => this.#tune(parameters),
    });
    this.composer = new ChatComposer({
      send: (text, files) => this.#send(text, files),
      stop: () => this.#session?.cancelRun() ?? Promise.resolve(),
      choose: (model) => this.#choose(model),
    });
    this.thread = new ChatThreadView(parts, this.#turnActions());
    this.speech = new ScreenReader(announceSentence);
    this.standing = el("div", { class: "stack" });
    this.welcome = el("div");
    this.element = this.#build();
  }

  #build() {
    const bottom = el("div", { class: "chat-bottom" }, this.thread.below, this.standing, this.composer.element);
    return el(
      "section",
      { class: "chat-pane", "aria-label": t`Conversation` },
      this.head.element,
      this.settings.element,
      this.welcome,
      this.thread.element,
      bottom,
    );
  }

  #turnActions() {
    const { executor, inventory } = this.parts;
    /** @param {(session: ChatSession) => Promise<unknown>} action */
    const act = (action) => void this.composer.attemptAction(async () => this.#session && action(this.#session));
    return {
      decide: executor.decideCalls.bind(executor),
      cancel: (/** @type {string} */ callId) => act(() => this.parts.controls.api.cancelCall(callId)),
      retry: (/** @type {string} */ id) => act((session) => session.retryCall(id)),
      titleOf: inventory.titleOf.bind(inventory),
      serverOf: (/** @type {string} */ name) => inventory.tools.find((tool) => tool.name === name)?.server_id ?? "",
      readAttachment: (/** @type {string} */ messageId, /** @type {number} */ number) =>
        this.chat.readAttachment(this.#session?.id ?? "", messageId, number),
      findFile: (/** @type {string} */ callId, /** @type {string} */ mime) =>
        this.parts.api.findAnswer(callId, mime, ""),
      edit: (/** @type {string} */ id, /** @type {string} */ text) => act((session) => session.editMessage(id, text)),
      again: (/** @type {string | null} */ id) => act((session) => session.requestAnswer(id)),
      show: (/** @type {string} */ id) => act((session) => session.showBranch(id)),
      toMessage: () => this.composer.text.focus({ preventScroll: true }),
    };
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    this.thread.start();
    const listening = new AbortController();
    const stops = (/** @type {KeyboardEvent} */ event) =>
      event.key === "Escape" && !event.isComposing && void this.composer.cancelRun();
    document.addEventListener("keydown", stops, { signal: listening.signal });
    this.#subscriptions = [
      () => listening.abort(),
      () => this.thread.stop(),
      () => this.speech.stop(),
      this.parts.inventory.onChange(() => this.#showChoices()),
    ];
    void this.#loadModels();
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
    this.#leave();
  }

  /** @param {string} id "" for a new conversation */
  async openConversation(id) {
    if (this.#session?.id === id) return;
    this.#leave();
    this.#chosen = emptyChoices();
    this.#offered = undefined;
    this.head.collapsePanels();
    this.#show();
    if (id === "") return;
    void this.thread.loadTurns();
    await this.composer.attemptAction(async () => this.#adopt(await this.chat.readConversation(id)));
  }

  /** @param {import("../types/chat_types.js").Conversation} conversation */
  #adopt(conversation) {
    this.#leave();
    const session = (this.#session = new ChatSession(this.chat, conversation));
    this.#heard = EMPTY;
    this.#unlisten = session.onChange(() => this.#follow(session));
    session.start();
    this.#show();
  }

  #leave() {
    this.#unlisten();
    this.#session?.stop();
    this.#session = null;
    this.speech.stop();
  }

  /** @param {ChatSession} session */
  #follow(session) {
    const wasRunning = this.#heard.run !== null;
    if (this.#heard !== EMPTY) void this.#announceChanges(session, this.#heard, session.state);
    this.#heard = session.state;
    if (session.line === "gone") return this.news.removed();
    if (wasRunning !== (session.state.run !== null)) this.news.changed();
    this.#show();
  }

  /** What reads Markdown comes with the first turn. @param {ChatSession} session @param {ChatState} before @param {ChatState} after */
  async #announceChanges(session, before, after) {
    await this.thread.loadTurns();
    if (session === this.#session) this.speech.announceSentences(this.thread.describeChanges(before, after));
  }

  #show() {
    const session = this.#session;
    const state = session?.state ?? EMPTY;
    this.head.showSession(session);
    this.composer.showBusy(state.run !== null);
    this.thread.showState(state);
    this.#showStanding(session);
    this.welcome.hidden = session !== null && (!session.isRead || state.messages.size > 0);
    if (this.#offered === (session?.conversation ?? null)) return;
    this.#offered = session?.conversation ?? null;
    this.#showChoices();
  }

  /** Model, prompt and tools: as the conversation has them, or as the next one will. */
  #showChoices() {
    const begun = this.#session?.conversation ?? null;
    const names = this.#models.map(({ id }) => id);
    this.composer.offerModels(names, begun ? begun.model : this.#chosen.model);
    const tools = this.parts.inventory.tools.filter(({ accepted }) => accepted);
    const keys = tools.map(({ server_id, name }) => toolKey({ server_id, tool_name: name }));
    const on = begun
      ? new Set(begun.enabled_tools.map(toolKey))
      : new Set(keys.filter((key) => !this.#chosen.off.has(key)));
    const model = this.#models.find(({ id }) => id === this.composer.models.value);
    const { prompt, parameters } = begun ? { ...begun, prompt: begun.system_prompt } : this.#chosen;
    this.settings.offer({ prompt, tools, on, parameters, supported: model?.supported_parameters ?? [] });
    const count = keys.filter((key) => on.has(key)).length;
    const isDemo = this.composer.models.value === DEMO;
    fill(
      this.welcome,
      welcomeView(
        count,
        count === keys.length ? searchedCount(this.parts.inventory.selection) : 0, // a part has more room
        names.every((id) => id === DEMO),
        isDemo ? this.#examples : [],
        (text) => this.composer.suggestText(text),
      ),
    );
    if (isDemo && this.#examples.length === 0) this.#loadExamples(tools).catch(() => undefined); // none are shown
  }

  /** @param {ChatSession | null} session */
  #showStanding(session) {
    const isOpen = session?.isRead && session.line !== "broken" && session.state.ended === null;
    const left = isOpen ? session.unansweredMessage : null;
    const words = session?.line === "broken" ? "broken" : (left ?? "");
    if (this.standing.dataset.words === words) return;
    this.standing.dataset.words = words;
    const go = button(t`Answer it`, () => void this.composer.attemptAction(async () => session?.requestAnswer(left)), {
      class: "small",
    });
    if (words === "broken") fill(this.standing, notice("warning", BROKEN));
    else if (words === "") fill(this.standing);
    else fill(this.standing, notice("note", el("span", { class: "actions" }, t`The last message has no answer.`, go)));
  }

  async #loadModels() {
    await this.composer.attemptAction(async () => (this.#models = await this.chat.listModels()));
    this.#showChoices();
  }

  /** @param {import("../types/api_types.js").Tool[]} tools */
  async #loadExamples(tools) {
    const { readExamples } = await import("./demo_examples.js");
    this.#examples = await readExamples(tools, (name) => this.parts.api.readTool(name));
    if (this.#examples.length > 0) this.#showChoices();
  }

  /** @param {string} text @param {import("../types/chat_types.js").NewAttachment[]} files */
  async #send(text, files) {
    const session = this.#session ?? (await this.#begin(text || files.map(({ name }) => name).join(", ")));
    await session.sendMessage(text, files);
    this.thread.toEnd();
  }

  /** The first message makes the conversation, so that none stays empty. @param {string} text */
  async #begin(text) {
    const conversation = await beginConversation(this.chat, this.#chosen, text);
    this.#adopt(conversation);
    this.news.begun(conversation.id);
    return /** @type {ChatSession} */ (/** @type {unknown} */ (this.#session));
  }

  /** @param {import("../types/chat_types.js").ConversationChanges} changes */
  async #change(changes) {
    await this.composer.attemptAction(async () => this.#session?.changeConversation(changes));
    this.news.changed();
  }

  /** @param {string} model */
  async #choose(model) {
    if (this.#session) await this.#session.changeConversation({ model });
    else this.#chosen.model = model;
    this.#showChoices();
  }

  /** @param {string} system_prompt */
  async #changePrompt(system_prompt) {
    if (this.#session) await this.#change({ system_prompt });
    else this.#chosen.prompt = system_prompt;
  }

  /** @param {Parameters} parameters */
  async #tune(parameters) {
    if (this.#session) await this.#change({ parameters });
    else this.#chosen.parameters = parameters;
  }

  #moveUp() {
    const place = this.news.placeAbove(this.#session?.id ?? "");
    if (place !== null) void this.#change({ pinned: place });
  }

  /** @param {EnabledTool[]} tools @param {boolean} isOn */
  async #allowTools(tools, isOn) {
    const { off } = this.#chosen;
    if (this.#session) await this.composer.attemptAction(async () => this.#session?.allowTools(tools, isOn));
    else for (const key of tools.map(toolKey)) isOn ? off.delete(key) : off.add(key);
    this.#showChoices();
  }

  async #remove() {
    const session = this.#session;
    const load = () => import("./removed_conversations.js");
    const hide = async () => session && (await load()).hideConversation(session, this.chat, this.news);
    await this.composer.attemptAction(hide);
  }
}

const BROKEN = t`The connection to the bridge is lost. This page continues as soon as it is back.`;
