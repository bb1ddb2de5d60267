// @ts-check
/** The calls that wait for their user, above every view: a list of cards, and answers for all of them at once. */
import { counted, t } from "../base/language.js";
import { announceSentence, button, el, fill, link, notice } from "../ui/dom.js";
import { guardControl, rearmControls } from "../base/guarded_control.js";
import { chatTitles } from "../session/chat_titles.js";
import { viewAddress } from "../ui/router.js";
import { waitingSentence } from "./waiting_sentence.js";

/** @typedef {import("../types/types.js").WaitingCard} WaitingCard */
/** @typedef {import("./approval_policy.js").Decision} Decision */

/** More wait until these are decided: nobody allows what he has not been shown. */
const SHOWN_CARDS = 30;

export class ApprovalsView {
  /** Comes with the first call that waits. @type {typeof import("./approval_card.js") | null} */
  #kind = null;
  #isLoading = false;
  /** @type {Map<string, import("./approval_card.js").ApprovalCard>} */
  #cards = new Map();
  /** @type {(() => void)[]} */
  #subscriptions = [];

  /** @param {HTMLElement} place @param {Pick<import("../types/view_types.js").Parts, "executor" | "inline" | "api" | "devices" | "inventory">} parts */
  constructor(place, { executor, inline, api, devices, inventory }) {
    this.place = place;
    this.executor = executor;
    this.inline = inline;
    this.api = api;
    this.devices = devices;
    this.titleOf = inventory.titleOf.bind(inventory);
    this.title = el("h2", { tabindex: "-1", id: "approvals-title" });
    this.hint = el("p", { class: "hint" });
    this.list = el("div", { class: "stack" });
    this.all = el("div", { class: "actions" });
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    const settings = link(t`When to ask`, viewAddress("approval"), { class: "quiet-link" });
    fill(this.place, el("div", { class: "title-row" }, this.title, this.all, settings), this.list, this.hint);
    const clock = setInterval(() => this.#updateCountdowns(), 1000);
    this.#subscriptions = [() => clearInterval(clock), this.inline.onChange(() => this.#show(this.executor.cards))];
    this.#subscriptions.push(this.executor.onCards((cards) => this.#show(cards)));
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
    this.#cards.clear();
    fill(this.list);
    this.place.hidden = true;
  }

  /** @param {WaitingCard[]} all */
  #show(all) {
    const cards = all.filter((card) => !this.inline.hasCard(card));
    if (this.#kind === null) {
      if (cards.length === 0) this.place.hidden = true;
      else void this.#loadCards();
      return;
    }
    const shown = cards.slice(0, SHOWN_CARDS);
    const ids = new Set(shown.map(({ call_id }) => call_id));
    const gone = [...this.#cards.keys()].filter((callId) => !ids.has(callId));
    const fresh = shown.filter(({ call_id }) => !this.#cards.has(call_id));
    const hadFocus = this.place.contains(document.activeElement);
    for (const callId of gone) this.#drop(callId);
    for (const card of fresh) this.#add(card);
    if (gone.length + fresh.length === 0) return;
    this.#headRow(cards.length);
    rearmControls(this.place);
    if (fresh.length > 0) announceSentence(waitingSentence(fresh, this.titleOf));
    if (hadFocus && !this.place.contains(document.activeElement)) this.#keepFocus();
  }

  /** Until it is there, a call waits unseen, and is denied when its time is up. */
  async #loadCards() {
    if (this.#isLoading) return; // a second end would empty the list of what the first one has shown
    this.#isLoading = true;
    try {
      this.#kind = await import("./approval_card.js");
      fill(this.list);
    } catch {
      const again = button(t`Try again`, () => void this.#loadCards(), { class: "small" });
      fill(this.list, notice("error", t`This section could not be loaded. Does the bridge still run?`, " ", again));
      this.place.hidden = false;
    }
    this.#isLoading = false;
    if (this.#kind !== null && this.#subscriptions.length > 0) this.#show(this.executor.cards);
  }

  /** @param {number} count */
  #headRow(count) {
    this.place.hidden = count === 0;
    this.title.textContent = counted(
      count,
      "{0} call is waiting for your approval",
      "{0} calls are waiting for your approval",
    );
    const more = count - this.#cards.size;
    this.hint.textContent =
      more > 0
        ? counted(
            more,
            "{0} more follows when you have decided on these.",
            "{0} more follow when you have decided on these.",
          )
        : "";
    const shown = this.#cards.size;
    const each =
      shown > 1
        ? [
            this.#allButton(t`Deny all ${shown}`, "denied", ""),
            this.#allButton(t`Allow all ${shown} once`, "once", "primary"),
          ]
        : [];
    fill(this.all, ...each);
  }

  /** @param {string} label @param {Decision} decision @param {string} look */
  #allButton(label, decision, look) {
    const act = (/** @type {Event} */ event) => {
      const armed = [...this.#cards].filter(([, card]) => card.isArmed).map(([callId]) => callId);
      if (event.isTrusted) this.executor.decideCalls(armed, decision);
    };
    return guardControl(button(label, act, { class: `${look} small` }));
  }

  /** @param {WaitingCard} facts */
  #add(facts) {
    const names = { titleOf: chatTitles(this.api), devices: this.devices };
    const decide = (/** @type {Decision} */ decision) => this.executor.decideCalls([facts.call_id], decision);
    const { ApprovalCard } = /** @type {typeof import("./approval_card.js")} */ (this.#kind);
    const card = new ApprovalCard(facts, this.titleOf(facts.server_id), decide, names);
    this.#cards.set(facts.call_id, card);
    this.list.append(card.element);
  }

  /** @param {string} callId */
  #drop(callId) {
    this.#cards.get(callId)?.element.remove();
    this.#cards.delete(callId);
  }

  #updateCountdowns() {
    for (const card of this.#cards.values()) card.updateCountdown(Date.now());
  }

  /** Never onto a button: the next key press was meant for the card that is gone. */
  #keepFocus() {
    (this.#cards.size > 0 ? this.title : document.getElementById("main"))?.focus({ preventScroll: true });
  }
}
