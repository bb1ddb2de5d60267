// @ts-check
/** How much of answers the user wants stored: as much as the bridge stores, or less. */
import { t } from "../base/language.js";
import { announceSentence, attemptAction, el, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").MemoryFacts} MemoryFacts */
/** @typedef {import("../types/api_types.js").ReasoningMemory} ReasoningMemory */
/** @typedef {import("../types/api_types.js").WantedMemory} WantedMemory */
/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} MemoryApi */

const ROUTE = "/api/stored-data/preference";

/** @type {[ReasoningMemory, string][]} from the least to the most */
const REASONING_CHOICES = [
  ["disabled", t`Do not resend`],
  ["next_reply", t`Resend for the next answer`],
  ["conversation", t`Resend for the whole chat`],
];

/** What there is to choose from, least first. @param {ReasoningMemory} most @returns {[ReasoningMemory, string][]} */
export function choicesUpTo(most) {
  return REASONING_CHOICES.slice(0, REASONING_CHOICES.findIndex(([name]) => name === most) + 1);
}

/** What holds of what is wanted. @param {MemoryFacts} facts @returns {ReasoningMemory} */
export function effectiveChoice({ reasoning, most_reasoning }) {
  const allowed = choicesUpTo(most_reasoning);
  return allowed.find(([name]) => name === reasoning)?.[0] ?? most_reasoning;
}

export class RetentionForm {
  /** Number of the last save: the answer to an earlier one must not undo a later choice. */
  #lastSave = 0;

  /** @param {MemoryApi} api */
  constructor(api) {
    this.api = api;
    const save = () => void attemptAction(this.messages, () => this.#save());
    this.keeps = el("input", { type: "checkbox", onchange: save });
    this.reasoning = el("select", { onchange: save });
    this.messages = el("div");
    this.hint = el("p", { class: "hint" });
    this.element = el(
      "form",
      { "aria-label": t`What to store`, onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      el("label", { class: "check" }, this.keeps, el("span", null, t`Store answers from now on`)),
      labelledField(t`Reasoning`, this.reasoning),
      this.hint,
      this.messages,
    );
  }

  async loadChoice() {
    try {
      this.#show(await this.api.sendRequest("GET", ROUTE));
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {MemoryFacts} facts */
  #show(facts) {
    this.keeps.checked = facts.keeps_answers;
    const options = choicesUpTo(facts.most_reasoning).map(([value, label]) => el("option", { value }, label));
    fill(this.reasoning, ...options);
    this.reasoning.value = effectiveChoice(facts);
    this.reasoning.disabled = !this.keeps.checked;
    this.hint.textContent = facts.stores_chats
      ? t`Without it, the next answer in a chat knows only the text of the chat. Answers already stored remain until you delete them.`
      : t`This bridge stores nothing of answers in chats. It stores responses of the Responses API, until you delete them.`;
  }

  async #save() {
    const reasoning = /** @type {ReasoningMemory} */ (this.reasoning.value);
    /** @type {WantedMemory} */
    const wanted = { keeps_answers: this.keeps.checked, reasoning };
    const save = (this.#lastSave += 1);
    const facts = await this.api.sendRequest("PUT", ROUTE, wanted);
    if (save === this.#lastSave) this.#show(facts);
    announceSentence(t`Saved`);
  }
}
