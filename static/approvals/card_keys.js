// @ts-check
/**
 * The keys that answer a card, Enter and Escape. They need what a press needs: a button that has stood still for a moment, and that
 * is in sight. Without the focus in a card they mean the only one, and only where they mean nothing else.
 */
import { isArmed } from "../base/guarded_control.js";

/** @typedef {{element: HTMLElement, allow: HTMLButtonElement, deny: HTMLButtonElement, answer: (isAllowed: boolean) => void}} KeyedCard */

/** What keys are for already, where the focus is. */
const TAKES_KEYS = ":is(a[href],button,input,select,summary,textarea,[contenteditable],[role=dialog],dialog)";

/** @type {Set<KeyedCard>} */
const cards = new Set();

/** Lets the keys answer it for as long as it is in the page. @param {KeyedCard} card */
export function answerByKeys(card) {
  if (cards.size === 0) window.addEventListener("keydown", answerCard, { capture: true });
  cards.add(card);
}

/** Whether no other card is in the page, so that the keys mean this one wherever the focus is. @param {HTMLElement} element */
export function isOnlyCard(element) {
  return ![...cards].some((card) => card.element !== element && card.element.isConnected);
}

/** @param {KeyboardEvent} event */
function answerCard(event) {
  for (const card of cards) if (!card.element.isConnected) cards.delete(card);
  if (cards.size === 0) window.removeEventListener("keydown", answerCard, { capture: true });
  const isPlain = !(
    event.repeat ||
    event.isComposing ||
    event.shiftKey ||
    event.ctrlKey ||
    event.altKey ||
    event.metaKey
  );
  if (!event.isTrusted || !isPlain || (event.key !== "Enter" && event.key !== "Escape")) return;
  const card = meantCard(event);
  if (!card) return;
  const pressed = event.key === "Enter" ? card.allow : card.deny;
  const isSeen = isInSight(pressed) || card.element.contains(/** @type {Node} */ (event.target));
  if (!isSeen || !isArmed(pressed)) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // Escape also stops the answer, of which this call is a part
  card.answer(event.key === "Enter");
}

/** @param {KeyboardEvent} event @returns {KeyedCard | undefined} */
function meantCard({ target, key }) {
  if (!(target instanceof Element) || document.querySelector("dialog[open]")) return undefined;
  const focused = [...cards].find(({ element }) => element.contains(target));
  if (focused) return key === "Escape" || target.closest(TAKES_KEYS) === null ? focused : undefined;
  return cards.size === 1 && isIdle(target) ? [...cards][0] : undefined;
}

/** Whether a key means nothing where the focus is: not in a field, but for a message of which nothing is written. @param {Element} target */
function isIdle(target) {
  if (target.closest(TAKES_KEYS) === null) return true;
  if (!(target instanceof HTMLTextAreaElement) || target.value !== "") return false;
  return target.closest(".composer") !== null && target.form?.querySelector(".attachment-tray li") === null;
}

/** Nothing lies above it. @param {HTMLElement} control */
function isInSight(control) {
  const { left, top, width, height } = control.getBoundingClientRect();
  const found = document.elementFromPoint(left + width / 2, top + height / 2);
  return found !== null && control.contains(found);
}
