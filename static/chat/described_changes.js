// @ts-check
/** A conversation's changes in sentences, for a screen reader: its state, not every word as it arrives. Pure. */
import { dictionaryOf, memberOf } from "../base/dictionary.js";
import { counted, errorSentence, t } from "../base/language.js";
import { isOver } from "./state.js";
import { withoutMarkers } from "../ui/markers.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/chat_types.js").ChatState} ChatState */

const SPOKEN_CHARS = 400;
/** Of an answer, with its marks; a long one is not read whole for its beginning. */
const READ_CHARS = 10 * SPOKEN_CHARS;

/** @type {Record<string, string>} */
const ENDINGS = dictionaryOf({
  cancelled: t`The answer was stopped.`,
  failed: t`The answer failed.`,
  max_iterations: t`The answer reached the round limit.`,
});

/**
 * @param {ChatState} before
 * @param {ChatState} after
 * @param {(markdown: string) => string} plainText
 * @returns {string[]} sentences
 */
export function describeChanges(before, after, plainText) {
  const sentences = [];
  if (after.run && before.run?.run_id !== after.run.run_id) sentences.push(t`The model is answering.`);
  sentences.push(...callSentences(before, after));
  if (before.run && !after.run && after.ended) sentences.push(endSentence(after, plainText));
  return sentences;
}

/** @param {ChatState} before @param {ChatState} after */
function callSentences(before, after) {
  if (before.calls === after.calls && before.run?.calls === after.run?.calls) return [];
  const known = new Set(before.run?.calls.map(({ id }) => id));
  const fresh = (after.run?.calls ?? [])
    .filter(({ id }) => !known.has(id))
    .map((call) => truncateLine(call.function.name));
  const ended = Object.entries(after.calls).filter(
    ([id, { state }]) => isOver(state) && !isOver(memberOf(before.calls, id)?.state ?? ""),
  );
  const failed = ended.filter(([, { state }]) => state !== "succeeded").length;
  return [
    ...(fresh.length > 0 ? [t`Calling ${fresh.join(", ")}.`] : []),
    ...(failed > 0 ? [counted(failed, "A call did not succeed.", "{0} calls did not succeed.")] : []),
  ];
}

/** @param {ChatState} state @param {(markdown: string) => string} plainText */
function endSentence({ ended, messages, head_id }, plainText) {
  const words = ENDINGS[ended?.state ?? ""];
  if (words) return ended?.error ? `${words} ${errorSentence(ended.error)}` : words;
  const text = plainText(withoutMarkers(messages.get(head_id ?? "")?.content ?? "").slice(0, READ_CHARS));
  return t`The answer is complete. ${text.length > SPOKEN_CHARS ? `${text.slice(0, SPOKEN_CHARS)}…` : text}`;
}
