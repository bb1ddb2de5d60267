// @ts-check
/** Where messages are written: sends with Enter, stops with Escape, and never loses what was typed. */
import { t } from "../base/language.js";
import { button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { AttachmentTray, readFiles } from "../attachments/attachment_tray.js";
import { isSendKey } from "./send_key.js";

/**
 * @typedef {object} ComposerActions
 * @property {(text: string, files: import("../types/chat_types.js").NewAttachment[]) => Promise<void>} send  settles when the bridge has the message
 * @property {() => Promise<void>} stop
 * @property {(model: string) => Promise<void>} choose
 */

/** The model that only makes the calls that are written. */
export const DEMO = "demo";

const messageField = () =>
  el("textarea", {
    rows: 1,
    placeholder: t`Ask something`,
    class: "growing",
    "aria-label": t`Message`,
    enterkeyhint: "send",
  });

export class ChatComposer {
  #isBusy = false;
  #isSending = false;

  /** @param {ComposerActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.text = messageField();
    this.models = el("select", {
      "aria-label": t`Model`,
      onchange: () => this.attemptAction(() => actions.choose(this.models.value)),
    });
    this.send = el("button", { type: "submit", class: "primary", icon: "arrow-up" }, t`Send`);
    this.stop = button(t`Stop`, () => void this.cancelRun(), {
      class: "danger",
      hidden: true,
      title: t`Escape`,
      icon: "square",
    });
    this.messages = el("div");
    this.more = link(t`Models`, viewAddress("models"), { class: "quiet-link" });
    this.element = el("form", { class: "composer", "aria-label": t`New message` });
    this.tray = new AttachmentTray(this.element);
    this.line = el(
      "div",
      { class: "composer-line" },
      this.tray.open,
      this.models,
      this.more,
      el("span", { class: "spacer" }),
      this.stop,
      this.send,
    );
    this.element.append(this.messages, this.tray.element, this.text, this.line);
    this.#sendWhenAsked();
  }

  /** By the button, or by the key in the text. */
  #sendWhenAsked() {
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#send();
    };
    this.element.addEventListener("submit", send);
    this.text.addEventListener("keydown", (event) => {
      if (isSendKey(event)) send(event);
    });
  }

  /** @param {string[]} models @param {string | null} chosen null: the first */
  offerModels(models, chosen) {
    const all = chosen === null || models.includes(chosen) ? models : [chosen, ...models];
    fill(this.models, ...all.map((id) => el("option", { value: id, selected: id === chosen }, id)));
    this.models.hidden = all.length === 0;
    fill(this.more, all.every((id) => id === DEMO) ? t`Add a model` : t`Models`);
  }

  /** @param {boolean} isBusy an answer is under way */
  showBusy(isBusy) {
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    const hadFocus = this.stop === document.activeElement;
    const sendHadFocus = this.send === document.activeElement;
    this.stop.hidden = !isBusy;
    this.send.hidden = isBusy;
    this.stop.disabled = false;
    if (hadFocus || sendHadFocus) this.text.focus({ preventScroll: true });
    this.#showSend();
  }

  /** Puts a message there without sending it. @param {string} text */
  suggestText(text) {
    this.text.value = text;
    this.text.focus();
  }

  async cancelRun() {
    if (!this.#isBusy) return;
    this.stop.disabled = true;
    await this.attemptAction(() => this.actions.stop());
    this.stop.disabled = false;
  }

  /** Does something, and says what went wrong. @param {() => Promise<unknown>} action @returns {Promise<boolean>} whether it went well */
  async attemptAction(action) {
    fill(this.messages);
    try {
      await action();
      return true;
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
      return false;
    }
  }

  async #send() {
    const text = this.text.value.trim();
    if ((text === "" && this.tray.isEmpty) || this.#isBusy || this.#isSending) return;
    this.#isSending = true;
    this.#showSend();
    const typed = this.text.value;
    this.text.value = "";
    const files = this.tray.takeFiles();
    const isSent = await this.attemptAction(async () => this.actions.send(text, await readFiles(files)));
    if (!isSent && this.text.value === "") this.text.value = typed;
    if (!isSent) this.tray.addFiles(files);
    this.#isSending = false;
    this.#showSend();
    if (document.activeElement === document.body || document.activeElement === this.send)
      this.text.focus({ preventScroll: true });
  }

  #showSend() {
    this.send.setAttribute("aria-disabled", String(this.#isBusy || this.#isSending));
  }
}
