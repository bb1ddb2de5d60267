// @ts-check
/**
 * The user's own run of a tool: pressing *Run* on a form that he filled is the approval of that one call, so it needs no card.
 * Only a card that appears after the press, for the same tool with exactly these arguments, is taken for it, and only once.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t, verbatim } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").WaitingCard} WaitingCard */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */

/** What the bridge calls a page that asks for a call; no key has this name. */
const OWN_NAME = verbatim("bridge page");

/** Maximum characters of a value on a card (`static/approvals/approval_preview.js`): files are longer. */
const SHOWN_VALUE_CHARS = 100_000;

/** What a call waits for, by its state in the call log. @type {Record<string, string>} */
const WAITS = dictionaryOf({ queued: t`Waiting for other calls to the same host…` });
const WAITS_FOR_USER = t`Waiting for your approval, at the top of the page…`;

/**
 * Whether a card asks about exactly this; false also where it shows too little of the arguments to tell.
 * @param {Pick<WaitingCard, "tool" | "server_id" | "asked_by" | "chat_id" | "args" | "more_args" | "reason">} card
 * @param {{name: string, server_id: string}} tool
 * @param {JsonObject} value the arguments
 */
export function asksAbout(card, tool, value) {
  if (card.tool !== tool.name || card.server_id !== tool.server_id || card.more_args > 0) return false;
  if (card.asked_by !== OWN_NAME || card.chat_id !== null || card.reason === "file") return false; // The form does not say whose file it is.
  const given = Object.entries(value).map(([name, each]) => [
    name,
    (typeof each === "string" ? each : stringifyJson(each)).slice(0, SHOWN_VALUE_CHARS),
  ]);
  const asked = card.args.map((each) => [each.name, each.value]);
  return stringifyJson(given.toSorted()) === stringifyJson(asked.toSorted());
}

/**
 * What a press allows. `changes`: what can change something, but as the user, with his login, which is `login`.
 * @typedef {{changes: boolean, login: boolean}} Allowance
 */

/** @param {Pick<WaitingCard, "is_safe" | "reason">} card @param {Allowance} allowance */
const isAllowed = ({ is_safe, reason }, { changes, login }) => (reason === "login" ? login : is_safe || changes);

/**
 * Allows the call that is about to be made, once its card appears.
 * @param {Pick<import("../types/view_types.js").Parts, "executor" | "inline">} parts
 * @param {{name: string, server_id: string}} tool
 * @param {JsonObject} value
 * @param {Allowance} allowance a card that it does not cover asks as others do
 * @returns {() => void} ends it
 */
export function approveOwnRun({ executor, inline }, tool, value, allowance) {
  const before = new Set(executor.cards.map(({ call_id }) => call_id));
  /** @type {string | null} */
  let own = null;
  inline.expectCard((card) => {
    if (own === null && !before.has(card.call_id) && isAllowed(card, allowance) && asksAbout(card, tool, value)) {
      own = card.call_id;
      executor.decideCalls([own], "once");
    }
    return card.call_id === own;
  });
  return () => inline.expectCard(null);
}

/**
 * The call that its user made by a press of *Run*: the first of the tool that was not there before it.
 * @param {CallEntry[]} calls @param {{name: string, server_id: string}} tool @param {Set<string>} before ids
 */
export const findOwnRun = (calls, { name, server_id }, before) =>
  calls.find(
    (call) =>
      call.tool === name && call.server_id === server_id && call.asked_by === OWN_NAME && !before.has(call.call_id),
  );

/**
 * Says what the call that is about to be made waits for, whenever that changes.
 * @param {Pick<import("../types/view_types.js").Parts, "executor" | "inline">} parts
 * @param {{name: string, server_id: string}} tool
 * @param {Set<string>} before ids of calls that are older
 * @param {(words: string) => void} tell
 * @returns {() => void} ends it
 */
export function watchOwnRun({ executor, inline }, tool, before, tell) {
  let told = "";
  const look = () => {
    const own = findOwnRun(executor.calls, tool, before);
    const asks = executor.cards.some((card) => card.call_id === own?.call_id && !inline.hasCard(card));
    const words = asks ? WAITS_FOR_USER : (WAITS[own?.state ?? ""] ?? t`Running…`);
    if (words !== told) tell((told = words));
  };
  look();
  const ends = [executor.onCall(look), executor.onCards(look)];
  return () => {
    for (const end of ends) end();
  };
}
