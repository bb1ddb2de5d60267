// @ts-check
/** The header of a conversation: its title and what is done with the conversation itself. */
import { t } from "../base/language.js";
import { threadOf } from "./thread.js";
import { announceSentence, button, el, fill } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";

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

  /** @param {HeadActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.title = el("h1", { tabindex: "-1" });
    this.place = el("div", { class: "chat-title" }, this.title);
    this.list = this.#toggle(t`Conversations`, "list-toggle", actions.list);
    this.settings = this.#toggle(t`Settings`, "settings-toggle", actions.settings);
    this.rename = button(t`Rename`, () => this.#rename(), { class: "quiet small" });
    this.json = button(t`Export as JSON`, () => this.#export("json"), { class: "quiet small" });
    this.markdown = button(t`Export as Markdown`, () => this.#export("md"), { class: "quiet small" });
    this.pin = button(t`Pin`, () => actions.pin(this.#session?.conversation.pinned === null), { class: "quiet small" });
    this.up = button(t`Move up`, () => actions.moveUp(), {
      class: "quiet small",
      hidden: true,
      title: t`Among the pinned conversations`,
    });
    this.remove = button(t`Delete`, () => this.#askToRemove(), { class: "quiet small danger" });
    this.actionButtons = el(
      "span",
      { class: "actions conversation-actions" },
      this.pin,
      this.up,
      this.rename,
      this.markdown,
      this.json,
      this.remove,
    );
    this.question = el("div");
    this.element = this.#build();
  }

  #build() {
    const actionLine = el("div", { class: "actions" }, this.list, this.settings, this.actionButtons);
    return el(
      "header",
      { class: "chat-head" },
      el("div", { class: "title-row" }, this.place, actionLine),
      this.question,
    );
  }

  /** @param {string} label @param {string} look @param {(isShown: boolean) => void} shown */
  #toggle(label, look, shown) {
    const toggle = button(
      label,
      () => {
        const isShown = toggle.getAttribute("aria-expanded") !== "true";
        toggle.setAttribute("aria-expanded", String(isShown));
        shown(isShown);
      },
      { class: `${look} quiet small`, "aria-expanded": "false" },
    );
    return toggle;
  }

  /** Folds what the buttons have unfolded. */
  collapsePanels() {
    for (const toggle of [this.list, this.settings])
      if (toggle.getAttribute("aria-expanded") === "true") toggle.click();
  }

  /** @param {ChatSession | null} session null: a conversation that has not begun */
  showSession(session) {
    if (session !== this.#session) fill(this.question);
    this.#session = session;
    this.actionButtons.hidden = session === null;
    const isPinned = (session?.conversation.pinned ?? null) !== null;
    this.up.hidden = !isPinned;
    if (this.pin.textContent !== (isPinned ? t`Unpin` : t`Pin`)) this.pin.textContent = isPinned ? t`Unpin` : t`Pin`;
    fill(this.title, session ? session.conversation.title || t`Untitled` : t`New conversation`);
    if (!this.place.contains(this.title) && session === null) fill(this.place, this.title);
  }

  #rename() {
    const field = el("input", {
      type: "text",
      "aria-label": t`Title`,
      value: this.#session?.conversation.title ?? "",
      maxlength: 200,
    });
    const close = () => {
      fill(this.place, this.title);
      this.rename.focus();
    };
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const title = field.value.trim();
      close();
      if (title !== "") await this.actions.rename(title);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    });
    const [yes, no] = [
      el("button", { type: "submit", class: "small" }, t`Save`),
      button(t`Cancel`, close, { class: "quiet small" }),
    ];
    fill(this.place, el("form", { class: "rename", onsubmit: save }, field, yes, no));
    field.focus();
    field.select();
  }

  #askToRemove() {
    const leave = () => {
      fill(this.question);
      this.remove.focus();
    };
    const remove = () => {
      fill(this.question);
      void this.actions.remove();
    };
    const yes = guardControl(button(t`Delete it`, remove, { class: "danger small" }));
    const no = button(t`Keep it`, leave, { class: "quiet small" });
    fill(
      this.question,
      el(
        "p",
        { class: "actions question" },
        el("span", null, t`Delete this conversation and all its answers?`),
        yes,
        no,
      ),
    );
    yes.focus();
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
