// @ts-check
/** What is stored of the user's answers: how much, and how to export or delete it. */
import { announceSentence, attemptAction, button, el, fill, freshId, notice, sentenceOf } from "../ui/dom.js";
import { formatSize } from "../ui/response_view.js";
import { formatCount } from "../ui/format_count.js";
import { RetentionForm } from "./retention_form.js";

/** @typedef {import("../types/api_types.js").StoredItemsSummary} StoredItemsSummary */
/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "readStoredItems" | "exportStoredItems" | "deleteStoredItems"> & import("./retention_form.js").MemoryApi} StoredItemsApi */

/** @param {StoredItemsSummary} summary @returns {string} */
export function storedItemsSentence({ items, conversations, own_conversations: own, bytes, oldest }) {
  if (own > 0 && items === 0) return `${formatCount(own, "conversation")}, ${formatSize(bytes)}.`;
  if (items === 0 || oldest === null) return "No answers are stored.";
  const since = new Date(oldest * 1000).toLocaleDateString();
  const chats = conversations > 0 ? ` of ${formatCount(conversations, "chat")}` : "";
  const talks = own > 0 ? ` and ${formatCount(own, "conversation")}` : "";
  return `${formatCount(items, "item")}${chats}${talks}, ${formatSize(bytes)}, the oldest of ${since}.`;
}

export class StoredItemsPanel {
  /** @param {StoredItemsApi} api */
  constructor(api) {
    this.api = api;
    this.summary = el("p", null, "Loading…");
    this.stay = el("p", { class: "hint" });
    this.messages = el("div");
    this.actions = el("div", { class: "actions" });
    this.choice = new RetentionForm(api);
    const heading = el("h2", { id: freshId("stored-items") }, "Stored answers");
    const hint = "What models wrote, their reasoning and the results of their tool calls, so that the next answer in a chat can build on them. ";
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
      this.stay.textContent = `Deleted after ${formatCount(stored.days, "day")} unused.`;
      this.#offer(stored.items + stored.responses + stored.own_conversations > 0);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {boolean} any */
  #offer(any) {
    const take = button("Export", () => void attemptAction(this.messages, () => this.#export()));
    const ask = button("Delete all", () => this.#ask(), { class: "quiet danger" });
    fill(this.actions, ...(any ? [take, ask] : []));
  }

  #ask() {
    const sure = button("Delete stored answers", () => void attemptAction(this.messages, () => this.#delete()), { class: "danger" });
    const keep = button("Keep it", () => this.#offer(true), { class: "quiet" });
    const words = el("span", null, "Existing chats continue with their text only. This cannot be undone.");
    fill(this.actions, el("div", { class: "actions", role: "group", "aria-label": "Delete stored answers?" }, words, sure, keep));
    keep.focus();
  }

  async #export() {
    const href = URL.createObjectURL(await this.api.exportStoredItems());
    el("a", { download: "tool-bridge-kept.jsonl", href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    announceSentence("Stored answers exported");
  }

  async #delete() {
    const { items } = await this.api.deleteStoredItems();
    announceSentence(`${formatCount(items, "item")} deleted`);
    await this.loadSummary();
  }
}
