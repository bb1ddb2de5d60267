// @ts-check
/** The question of a turn: an element that follows it, and in which the user can write it anew. */
import { t } from "../base/language.js";
import { attachmentList } from "../attachments/attachment_list.js";
import { button, copyButton, el, fill } from "../ui/dom.js";
import { isSendKey } from "./send_key.js";
import { branchSwitch, refillFooter, timeOf } from "./turn_footer.js";

/** @typedef {import("../types/chat_types.js").UserTurn} UserTurn */
/** @typedef {import("./turn_footer.js").TurnActions} TurnActions */

/** @type {import("./turn_footer.js").BranchWords} */
const VERSIONS = {
  all: t`Versions`,
  previous: t`Previous version`,
  next: t`Next version`,
  at: (number, count) => t`Version ${number} of ${count}`,
};

export class UserTurnView {
  kind = "user";
  #drawn = "";
  #isEditing = false;
  #shownFiles = "";

  /** @param {UserTurn} turn @param {TurnActions} actions */
  constructor(turn, actions) {
    this.turn = turn;
    this.key = turn.key;
    this.actions = actions;
    this.text = el("div", { class: "question-text" });
    this.foot = el("div", { class: "turn-foot" });
    this.files = el("div");
    /** @type {HTMLButtonElement | null} */
    this.editButton = null;
    this.element = el("article", { class: "turn user-turn", "aria-label": t`You` }, this.files, this.text, this.foot);
  }

  /** @param {UserTurn} turn @param {boolean} isBusy an answer is under way */
  showTurn(turn, isBusy) {
    this.turn = turn;
    const now = JSON.stringify([turn, isBusy]);
    if (now === this.#drawn || this.#isEditing) return;
    this.#drawn = now;
    fill(this.text, document.createTextNode(turn.text));
    this.text.hidden = turn.text === "";
    this.#showFiles(turn);
    this.editButton = button(t`Edit`, () => this.#edit(), { class: "quiet small", disabled: isBusy, icon: "pencil" });
    const copy = copyButton(t`Copy`, () => this.turn.text, { "aria-label": t`Copy the message` });
    refillFooter(
      this.foot,
      [timeOf(turn.at), copy, this.editButton, branchSwitch(VERSIONS, turn.branch, isBusy, this.actions)],
      this.actions,
    );
  }

  /** @param {UserTurn} turn */
  #showFiles({ id, attachments }) {
    const now = `${id} ${attachments.length}`;
    if (now === this.#shownFiles) return;
    this.#shownFiles = now;
    fill(
      this.files,
      attachments.length > 0 ? attachmentList(attachments, (number) => this.actions.readAttachment(id, number)) : null,
    );
  }

  #edit() {
    this.text.hidden = false;
    this.#isEditing = true;
    const field = el("textarea", {
      "aria-label": t`Edit the message`,
      rows: 3,
      value: this.turn.text,
      class: "growing",
    });
    const send = () => {
      const text = field.value.trim();
      this.#close();
      if (text !== "") this.actions.edit(this.turn.id, text);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close();
      else if (isSendKey(event)) send();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    const actions = el(
      "div",
      { class: "actions" },
      button(t`Send`, send, { class: "primary small" }),
      button(t`Cancel`, () => this.#close(), { class: "quiet small" }),
    );
    fill(this.text, field, actions);
    fill(this.foot, el("p", { class: "hint" }, t`The old version and its answers remain.`));
    field.focus();
  }

  #close() {
    this.#isEditing = false;
    this.#drawn = "";
    this.showTurn(this.turn, false);
    this.editButton?.focus();
  }
}
