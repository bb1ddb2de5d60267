// @ts-check
/** Conversations with a model that uses the tools: the list beside the one that is open. */
import { ChatList } from "./list.js";
import { ChatPane } from "./conversation_view.js";
import { el, fill } from "../ui/dom.js";
import { address } from "../ui/router.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class ChatView {
  /** @param {Parts} parts @param {string} id of a conversation; "" for a new one */
  constructor(parts, id) {
    this.id = id;
    this.list = new ChatList(parts.chat);
    this.pane = new ChatPane(parts, {
      begun: (begun) => this.#become(begun),
      changed: () => void this.list.load(),
      removed: () => this.#removed(),
      list: (isShown) => this.element.classList.toggle("shows-list", isShown),
    });
    this.element = el("div", { class: "chat" }, this.list.element, this.pane.element);
  }

  /** @param {HTMLElement} container */
  start(container) {
    fill(container, this.element);
    this.pane.start();
    void this.list.load();
    this.#open(this.id);
  }

  stop() {
    this.pane.stop();
    this.list.stop();
  }

  /** @param {import("../ui/router.js").Route} route */
  follow({ section, parts: [id = ""] }) {
    if (section !== "chat") return false;
    this.#open(id);
    return true;
  }

  /** @param {string} id */
  #open(id) {
    this.id = id;
    this.list.mark(id);
    void this.pane.open(id);
    const isTouch = matchMedia("(pointer: coarse)").matches; // its keyboard would hide what was opened
    (isTouch ? this.pane.head.title : this.pane.composer.text).focus({ preventScroll: true });
  }

  /** The address changes without the view being built anew: what has the focus keeps it. @param {string} id */
  #become(id) {
    this.id = id;
    history.replaceState(history.state, "", address("chat", id));
    this.list.mark(id);
    void this.list.load();
  }

  #removed() {
    history.replaceState(history.state, "", address("chat"));
    this.#open("");
    void this.list.load();
  }
}
