// @ts-check
/** What is kept of the user's answers: how much, the way to take it away, and to delete it. */
import { announce, attempt, button, el, fill, freshId, notice, sentenceOf } from "../ui/dom.js";
import { size } from "../ui/response_view.js";
import { counted } from "../ui/counted.js";
import { MemoryChoiceForm } from "./retention_form.js";

/** @typedef {import("../types/api_types.js").KeptSummary} KeptSummary */
/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "kept" | "exportKept" | "deleteKept"> & import("./retention_form.js").MemoryApi} KeptApi */

/** @param {KeptSummary} kept @returns {string} */
export function keptSentence({ items, conversations, own_conversations: own, bytes, oldest }) {
  if (own > 0 && items === 0) return `${counted(own, "conversation")}, ${size(bytes)}.`;
  if (items === 0 || oldest === null) return "No answers are stored.";
  const since = new Date(oldest * 1000).toLocaleDateString();
  const chats = conversations > 0 ? ` of ${counted(conversations, "chat")}` : "";
  const talks = own > 0 ? ` and ${counted(own, "conversation")}` : "";
  return `${counted(items, "item")}${chats}${talks}, ${size(bytes)}, the oldest of ${since}.`;
}

export class KeptPanel {
  /** @param {KeptApi} api */
  constructor(api) {
    this.api = api;
    this.summary = el("p", null, "Loading…");
    this.stay = el("p", { class: "hint" });
    this.messages = el("div");
    this.actions = el("div", { class: "actions" });
    this.choice = new MemoryChoiceForm(api);
    const heading = el("h2", { id: freshId("kept") }, "Stored answers");
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
    void this.load();
    void this.choice.load();
  }

  /** Nothing is listened to. */
  stop() {}

  async load() {
    try {
      const kept = await this.api.kept();
      this.summary.textContent = keptSentence(kept);
      this.stay.textContent = `Deleted after ${counted(kept.days, "day")} unused.`;
      this.#offer(kept.items + kept.responses + kept.own_conversations > 0);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {boolean} any */
  #offer(any) {
    const take = button("Export", () => void attempt(this.messages, () => this.#export()));
    const ask = button("Delete all", () => this.#ask(), { class: "quiet danger" });
    fill(this.actions, ...(any ? [take, ask] : []));
  }

  #ask() {
    const sure = button("Delete stored answers", () => void attempt(this.messages, () => this.#delete()), { class: "danger" });
    const keep = button("Keep it", () => this.#offer(true), { class: "quiet" });
    const words = el("span", null, "Existing chats continue with their text only. This cannot be undone.");
    fill(this.actions, el("div", { class: "actions", role: "group", "aria-label": "Delete stored answers?" }, words, sure, keep));
    keep.focus();
  }

  async #export() {
    const href = URL.createObjectURL(await this.api.exportKept());
    el("a", { download: "tool-bridge-kept.jsonl", href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    announce("Stored answers exported");
  }

  async #delete() {
    const { items } = await this.api.deleteKept();
    announce(`${counted(items, "item")} deleted`);
    await this.load();
  }
}
