// @ts-check
/** The header of a conversation: its title, and the ways to what belongs to it. */
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";

/** @typedef {import("./session.js").ChatSession} ChatSession */
/**
 * @typedef {object} HeadActions
 * @property {(title: string) => Promise<unknown>} rename
 * @property {() => Promise<unknown>} remove
 * @property {(isPinned: boolean) => void} pin
 * @property {() => void} moveUp  among the pinned ones
 * @property {(isShown: boolean) => void} settings
 * @property {(isShown: boolean) => void} list  on a narrow screen
 */

export class ChatHeader {
  /** @type {ChatSession | null} */
  #session = null;
  /** @type {import("./conversation_menu.js").ConversationMenu | null} */
  #menu = null;

  /** @param {HeadActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.title = el("h1", { tabindex: "-1" });
    this.place = el("div", { class: "chat-title" }, this.title);
    this.list = toggle(t`Conversations`, "list-toggle", "panel-left", actions.list);
    this.settings = toggle(t`Settings`, "settings-toggle", "sliders-horizontal", actions.settings);
    this.line = el("div", { class: "actions" }, this.list, this.settings);
    const title = el("div", { class: "title-row" }, this.place, this.line);
    this.element = el("header", { class: "chat-head" }, title);
  }

  /** Folds what the buttons have unfolded. */
  collapsePanels() {
    for (const toggle of [this.list, this.settings])
      if (toggle.getAttribute("aria-expanded") === "true") toggle.click();
  }

  /** @param {ChatSession | null} session null: a conversation that has not begun */
  showSession(session) {
    this.#session = session;
    this.#menu?.showSession(session);
    if (session !== null && this.#menu === null) void this.#loadMenu();
    fill(this.title, session ? session.conversation.title || t`Untitled` : t`New conversation`);
    if (!this.place.contains(this.title) && session === null) fill(this.place, this.title);
  }

  /** It comes with the first turn; where that fails, the thread says so. */
  async #loadMenu() {
    const loaded = await import("./turn_views.js").catch(() => null);
    if (loaded === null || this.#menu !== null) return;
    this.#menu = new loaded.ConversationMenu(this.actions, this);
    this.#menu.showSession(this.#session);
    this.line.append(this.#menu.element);
  }
}

/** @param {string} label @param {string} look @param {import("../types/icon_names.d.ts").IconName} icon @param {(isShown: boolean) => void} shown */
function toggle(label, look, icon, shown) {
  const press = () => {
    const isShown = element.getAttribute("aria-expanded") !== "true";
    element.setAttribute("aria-expanded", String(isShown));
    shown(isShown);
  };
  const element = button(label, press, { class: `${look} quiet small`, "aria-expanded": "false", icon });
  return element;
}
