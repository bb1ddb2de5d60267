// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { storedItemsSentence } from "../../../static/settings/stored_items_panel.js";
import { choicesUpTo, effectiveChoice } from "../../../static/settings/retention_form.js";

/** @param {Partial<import("../../../static/types/api_types.js").StoredItemsSummary>} facts */
const summary = (facts) => ({ items: 0, responses: 0, conversations: 0, own_conversations: 0, bytes: 0, oldest: null, days: 90, max_bytes: 0, ...facts });

test("a user reads how much is kept, since when, and that nothing is", () => {
  const words = storedItemsSentence(summary({ items: 1234, conversations: 1, bytes: 2048, oldest: 86_400 * 365 }));
  assert.match(words, /^1,234 items of 1 chat, 2\.0 KiB, the oldest of .*197\d/);
  assert.match(storedItemsSentence(summary({ items: 1, bytes: 10, oldest: 1 })), /^1 item, 10 B/);
  assert.equal(storedItemsSentence(summary({})), "No answers are stored.");
});

test("a user can choose as much memory as the bridge has, or less", () => {
  const names = (/** @type {import("../../../static/types/api_types.js").ReasoningMemory} */ most) => choicesUpTo(most).map(([name]) => name);
  assert.deepEqual(names("conversation"), ["disabled", "next_reply", "conversation"]);
  assert.deepEqual(names("next_reply"), ["disabled", "next_reply"]);
  assert.deepEqual(names("disabled"), ["disabled"]);
});

test("of what is wanted and what there is, the lesser is shown", () => {
  const facts = { keeps_answers: true, stores_chats: true };
  assert.equal(effectiveChoice({ ...facts, reasoning: "conversation", most_reasoning: "next_reply" }), "next_reply");
  assert.equal(effectiveChoice({ ...facts, reasoning: "disabled", most_reasoning: "next_reply" }), "disabled");
  assert.equal(effectiveChoice({ ...facts, reasoning: "conversation", most_reasoning: "conversation" }), "conversation");
});
