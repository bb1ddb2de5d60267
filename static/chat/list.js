// @ts-check
/** The conversations of a user: find one, continue it, or begin another. */
import { t } from "../base/language.js";
import { button, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { ListKeys } from "../ui/list_keys.js";
import { withoutPinned } from "./pins.js";
import { viewAddress } from "../ui/router.js";
import { formatClock } from "../base/time_format.js";

/** @typedef {import("../types/chat_types.js").ListedConversation} ListedConversation */

const TYPING_MS = 250;

/** Ids of those that were deleted a moment ago. @type {Set<string>} */
export const hidden = new Set();

export class ChatList {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #typing;
  /** Only the answer to the last question counts. */
  #asked = 0;
  /** @type {string | null} */
  #next = null;

  /** @param {import("../session/chat_api.js").ChatApi} api */
  constructor(api) {
    this.api = api;
    this.current = "";
    /** @type {ListedConversation[]} */
    this.shown = [];
    /** In their order. @type {ListedConversation[]} */
    this.pinned = [];
    this.search = el("input", { type: "search", autocomplete: "off", oninput: () => this.#search() });
    this.search.addEventListener("focus", () => void this.api.prepareSearch().catch(() => {}), { once: true });
    this.rows = el("ul", { class: "chat-rows" });
    this.keys = new ListKeys(this.rows);
    this.pins = el("ul", { class: "chat-rows pinned", "aria-label": t`Pinned`, hidden: true });
    this.messages = el("div", { "aria-live": "polite" });
    this.more = button(t`Show more`, () => void this.#load(this.#next), { class: "quiet small", hidden: true });
    this.field = labelledField(t`Search`, this.search);
    const fresh = link(t`New conversation`, viewAddress("chat"), { class: "button primary", icon: "plus" });
    this.element = el(
      "nav",
      { class: "chat-list", "aria-label": t`Conversations` },
      fresh,
      this.field,
      this.messages,
      this.pins,
      this.rows,
      this.more,
    );
  }

  stop() {
    clearTimeout(this.#typing);
    this.#asked += 1;
  }

  /** Reads the list again. */
  loadList() {
    return this.#load(null);
  }

  /** @param {string} id of the conversation that is open; "" for a new one */
  markConversation(id) {
    this.current = id;
    for (const row of this.element.querySelectorAll(".chat-rows a")) {
      if (/** @type {HTMLElement} */ (row).dataset.id === id && id !== "") row.setAttribute("aria-current", "page");
      else row.removeAttribute("aria-current");
    }
  }

  #search() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.loadList(), TYPING_MS);
  }

  /** @param {string | null} before where to read on */
  async #load(before) {
    const words = this.search.value.trim();
    const asked = (this.#asked += 1);
    try {
      const pinned = words !== "" ? [] : before === null ? await this.api.listPinned() : this.pinned;
      const page =
        words === ""
          ? await this.api.listConversations(before)
          : { conversations: await this.api.searchConversations(words), next: null };
      if (asked !== this.#asked) return;
      const found = before === null ? page.conversations : [...this.shown, ...page.conversations];
      this.pinned = pinned.filter((each) => !hidden.has(each.id));
      this.shown = found.filter((each) => !hidden.has(each.id));
      this.#next = page.next;
      fill(this.messages);
      this.#draw(words);
    } catch (failure) {
      if (asked === this.#asked) fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {string} words */
  #draw(words) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement?.closest(".chat-rows a"))?.dataset.id;
    fill(this.pins, ...this.pinned.map((conversation) => el("li", null, rowOf(conversation))));
    this.pins.hidden = this.pinned.length === 0;
    fill(
      this.rows,
      ...withoutPinned(this.shown, this.pinned).map((conversation) => el("li", null, rowOf(conversation))),
    );
    this.more.hidden = this.#next === null;
    this.field.hidden = words === "" && this.shown.length === 0;
    if (this.shown.length === 0 && words !== "")
      fill(this.messages, el("p", { class: "empty", drawing: "no-hits" }, t`No matches.`));
    this.markConversation(this.current);
    this.keys.takeRows();
    if (focused)
      /** @type {HTMLElement | null} */ (
        this.element.querySelector(`.chat-rows a[data-id="${CSS.escape(focused)}"]`)
      )?.focus();
  }
}

/** @param {ListedConversation} conversation */
function rowOf({ id, title, updated_at, run }) {
  const time = el(
    "time",
    { class: "facts", datetime: updated_at },
    run?.state === "running" ? t`answering…` : formatClock(Date.parse(updated_at)),
  );
  return el(
    "a",
    { href: viewAddress("chat", id), dataset: { id } },
    el("span", { class: "clamp-1" }, title || t`Untitled`),
    time,
  );
}
