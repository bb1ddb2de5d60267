// @ts-check
/** Conversations with a model that uses the tools: the list beside the one that is open. */
import { ChatApi } from "../session/chat_api.js";
import { ChatList } from "./list.js";
import { ConversationView } from "./conversation_view.js";
import { placeAbove } from "./pins.js";
import { el, fill } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class ChatView {
  /** @param {Parts} parts @param {string} id of a conversation; "" for a new one */
  constructor(parts, id) {
    this.id = id;
    const chat = new ChatApi(parts.api);
    this.list = new ChatList(chat);
    this.pane = new ConversationView(parts, chat, {
      begun: (begun) => this.#rememberOpen(begun),
      changed: () => void this.list.loadList(),
      removed: () => this.#handleRemoval(),
      placeAbove: (id) => placeAbove(this.list.pinned, id),
      list: (isShown) => this.element.classList.toggle("shows-list", isShown),
    });
    this.element = el("div", { class: "chat" }, this.list.element, this.pane.element);
  }

  /** @param {HTMLElement} container */
  start(container) {
    fill(container, this.element);
    this.pane.start();
    void this.list.loadList();
    this.#open(this.id);
  }

  stop() {
    this.pane.stop();
    this.list.stop();
  }

  /** @param {import("../ui/router.js").Route} route */
  followRoute({ section, parts: [id = ""] }) {
    if (section !== "chat") return false;
    this.#open(id);
    return true;
  }

  /** @param {string} id */
  #open(id) {
    this.id = id;
    this.list.markConversation(id);
    void this.pane.openConversation(id);
    const isTouch = matchMedia("(pointer: coarse)").matches; // its keyboard would hide what was opened
    (isTouch ? this.pane.head.title : this.pane.composer.text).focus({ preventScroll: true });
  }

  /** The address changes without the view being built anew: what has the focus keeps it. @param {string} id */
  #rememberOpen(id) {
    this.id = id;
    history.replaceState(history.state, "", viewAddress("chat", id));
    this.list.markConversation(id);
    void this.list.loadList();
  }

  #handleRemoval() {
    history.replaceState(history.state, "", viewAddress("chat"));
    this.#open("");
    void this.list.loadList();
  }
}
