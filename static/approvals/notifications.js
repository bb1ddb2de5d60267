// @ts-check
/** Calls for the user when nobody looks: a notification per waiting call, and the number in the title of the tab. */
import { t } from "../base/language.js";
import { truncateLine } from "../base/untrusted_text.js";
import { noticePermission } from "./notification_panel.js";

/** @typedef {import("../types/types.js").WaitingCard} WaitingCard */

const FLASH_MS = 1000;

export class ApprovalNotices {
  /** @type {Map<string, Notification>} */
  #shown = new Map();
  /** Calls whose notification was shown, so that a closed one does not come back. @type {Set<string>} */
  #notified = new Set();
  /** @type {(() => void)[]} */
  #subscriptions = [];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #flashing;
  #title = "";
  #ownNotices = "";

  /** @param {Pick<import("../types/view_types.js").Parts, "executor" | "inventory">} parts */
  constructor({ executor, inventory }) {
    this.executor = executor;
    this.inventory = inventory;
  }

  start() {
    if (this.#subscriptions.length > 0) return;
    const listening = new AbortController();
    const look = () => this.#show(this.executor.cards);
    document.addEventListener("visibilitychange", look, { signal: listening.signal });
    this.#subscriptions = [() => listening.abort(), this.executor.onCards((cards) => this.#show(cards))];
  }

  stop() {
    for (const end of this.#subscriptions.splice(0)) end();
    this.#show([]);
  }

  /** @param {WaitingCard[]} cards */
  #show(cards) {
    const waiting = new Set(cards.map(({ call_id }) => call_id));
    for (const [callId, notification] of this.#shown)
      if (!waiting.has(callId) || !document.hidden) {
        notification.close();
        this.#shown.delete(callId);
      }
    for (const callId of this.#notified) if (!waiting.has(callId)) this.#notified.delete(callId);
    if (document.hidden && this.executor.state.role === "executor") for (const card of cards) this.#notify(card);
    this.#flash(document.hidden ? cards.length : 0);
  }

  /** @param {WaitingCard} card */
  #notify({ call_id, tool, server_id, method }) {
    if (this.#notified.has(call_id) || noticePermission() !== "granted") return;
    this.#notified.add(call_id);
    const body = t`${truncateLine(method)} ${truncateLine(tool)} at ${truncateLine(this.inventory.titleOf(server_id))}`;
    const notification = new Notification(t`A call is waiting for your approval`, { body, tag: call_id });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
    this.#shown.set(call_id, notification);
  }

  /** @param {number} count */
  #flash(count) {
    clearInterval(this.#flashing);
    if (this.#ownNotices !== "" && document.title === this.#ownNotices) document.title = this.#title;
    this.#ownNotices = "";
    if (count === 0) return;
    this.#title = document.title;
    this.#ownNotices = t`(${count}) Approval needed · Tool Bridge`;
    document.title = this.#ownNotices;
    this.#flashing = setInterval(
      () => (document.title = document.title === this.#ownNotices ? this.#title : this.#ownNotices),
      FLASH_MS,
    );
  }
}
