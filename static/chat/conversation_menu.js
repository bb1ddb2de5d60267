// @ts-check
/** Actions on a conversation as a whole: behind three dots, because people seldom need them. */
import { t } from "../base/language.js";
import { threadOf } from "./thread.js";
import { announceSentence, button, el, fill } from "../ui/dom.js";
import { moreMenu } from "../ui/more_menu.js";

/** @typedef {import("./session.js").ChatSession} ChatSession */
/** @typedef {import("./header.js").HeadActions} HeadActions */
/** @typedef {{place: HTMLElement, title: HTMLElement}} HeadPlaces  `place` holds the title, or the form that changes it */

export class ConversationMenu {
  /** @type {ChatSession | null} */
  #session = null;

  /** @param {HeadActions} actions @param {HeadPlaces} places */
  constructor(actions, places) {
    this.actions = actions;
    this.places = places;
    this.pinWord = el("span");
    this.pin = button("", () => actions.pin(this.#session?.conversation.pinned === null), { icon: "pin" });
    this.pin.append(this.pinWord);
    const hint = { hidden: true, icon: "arrow-up-to-line", title: t`Among the pinned conversations` };
    this.up = button(t`Move up`, () => actions.moveUp(), hint);
    this.element = moreMenu(t`More about this conversation`, [
      this.pin,
      this.up,
      button(t`Rename`, () => this.#rename(), { icon: "pencil" }),
      button(t`Export as Markdown`, () => this.#export("md"), { icon: "download" }),
      button(t`Export as JSON`, () => this.#export("json"), { icon: "download" }),
      button(t`Delete`, () => void actions.remove(), { class: "danger", icon: "trash-2" }),
    ]);
  }

  /** @param {ChatSession | null} session null: a conversation that has not begun */
  showSession(session) {
    this.#session = session;
    this.element.hidden = session === null;
    const isPinned = (session?.conversation.pinned ?? null) !== null;
    this.up.hidden = !isPinned;
    const word = isPinned ? t`Unpin` : t`Pin`;
    if (this.pinWord.textContent !== word) this.pinWord.textContent = word;
  }

  #focus() {
    this.element.querySelector("summary")?.focus();
  }

  #rename() {
    const { place, title } = this.places;
    const value = this.#session?.conversation.title ?? "";
    const field = el("input", { type: "text", "aria-label": t`Title`, value, maxlength: 200 });
    const close = () => {
      fill(place, title);
      this.#focus();
    };
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const written = field.value.trim();
      close();
      if (written !== "") await this.actions.rename(written);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    });
    const yes = el("button", { type: "submit", class: "small" }, t`Save`);
    const no = button(t`Cancel`, close, { class: "quiet small" });
    fill(place, el("form", { class: "rename", onsubmit: save }, field, yes, no));
    field.focus();
    field.select();
  }

  /** @param {"json" | "md"} ending */
  async #export(ending) {
    if (!this.#session) return;
    const { conversation, state } = this.#session;
    const [{ fileName, jsonOf, markdownOf }, { saveText }] = await Promise.all([
      import("./export.js"),
      import("../ui/response_view.js"),
    ]);
    const text =
      ending === "json" ? jsonOf(conversation, state.messages.values()) : markdownOf(conversation, threadOf(state));
    saveText(text, fileName(conversation.title, ending));
    announceSentence(t`Conversation exported as a file.`);
  }
}
