// @ts-check
/** What is stored of the user's answers: how much, and how to export or delete it. */
import { counted, t } from "../base/language.js";
import { formatDay } from "../base/time_format.js";
import { announceSentence, attemptAction, button, el, fill, freshId, notice, sentenceOf } from "../ui/dom.js";
import { formatCount, formatSize } from "../ui/format_count.js";
import { RetentionForm } from "./retention_form.js";

/** @typedef {import("../types/api_types.js").StoredItemsSummary} StoredItemsSummary */
/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "readStoredItems" | "exportStoredItems" | "deleteStoredItems"> & import("./retention_form.js").MemoryApi} StoredItemsApi */

/** @param {StoredItemsSummary} summary @returns {string} */
export function storedItemsSentence({ items, conversations, own_conversations: own, bytes, oldest }) {
  const [size, talks] = [formatSize(bytes), formatCount(own, "conversation")];
  if (own > 0 && items === 0) return `${talks}, ${size}.`;
  if (items === 0 || oldest === null) return t`No answers are stored.`;
  const since = formatDay(oldest * 1000);
  const stored =
    conversations > 0
      ? counted(conversations, "{1} of {0} chat", "{1} of {0} chats", formatCount(items, "item"))
      : formatCount(items, "item");
  return own > 0
    ? t`${stored} and ${talks}, ${size}, the oldest of ${since}.`
    : t`${stored}, ${size}, the oldest of ${since}.`;
}

export class StoredItemsPanel {
  /** @param {StoredItemsApi} api */
  constructor(api) {
    this.api = api;
    this.summary = el("p", null, t`Loading…`);
    this.stay = el("p", { class: "hint" });
    this.messages = el("div");
    this.actions = el("div", { class: "actions" });
    this.choice = new RetentionForm(api);
    const heading = el("h2", { id: freshId("stored-items") }, t`Stored answers`);
    const hint = t`What models wrote, their reasoning and the results of their tool calls, so that the next answer in a chat can build on them.`;
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": heading.id },
      heading,
      el("p", { class: "hint" }, hint),
      this.summary,
      this.stay,
      this.messages,
      this.actions,
      this.choice.element,
    );
    void this.loadSummary();
    void this.choice.loadChoice();
  }

  /** It subscribes to nothing. */
  stop() {}

  async loadSummary() {
    try {
      const stored = await this.api.readStoredItems();
      this.summary.textContent = storedItemsSentence(stored);
      this.stay.textContent = counted(stored.days, "Deleted after {0} day unused.", "Deleted after {0} days unused.");
      this.#offer(stored.items + stored.responses + stored.own_conversations > 0);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {boolean} any */
  #offer(any) {
    const take = button(t`Export`, () => void attemptAction(this.messages, () => this.#export()));
    const ask = button(t`Delete all`, () => this.#ask(), { class: "quiet danger" });
    fill(this.actions, ...(any ? [take, ask] : []));
  }

  #ask() {
    const sure = button(t`Delete stored answers`, () => void attemptAction(this.messages, () => this.#delete()), {
      class: "danger",
    });
    const keep = button(t`Keep it`, () => this.#offer(true), { class: "quiet" });
    const words = el("span", null, t`Existing chats continue with their text only. This cannot be undone.`);
    fill(
      this.actions,
      el("div", { class: "actions", role: "group", "aria-label": t`Delete stored answers?` }, words, sure, keep),
    );
    keep.focus();
  }

  async #export() {
    const href = URL.createObjectURL(await this.api.exportStoredItems());
    el("a", { download: "tool-bridge-kept.jsonl", href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    announceSentence(t`Stored answers exported`);
  }

  async #delete() {
    const { items } = await this.api.deleteStoredItems();
    announceSentence(counted(items, "{0} item deleted", "{0} items deleted"));
    await this.loadSummary();
  }
}
