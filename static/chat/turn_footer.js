// @ts-check
/** The line below a turn: when it was, what can be done with it, and the other versions of it. */
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";
import { formatClock } from "../base/time_format.js";

/** @typedef {import("../types/chat_types.js").BranchPoint} BranchPoint */
/**
 * @typedef {import("./call_card.js").CallActions & {
 *   edit: (messageId: string, content: string) => void,
 *   readAttachment: (messageId: string, number: number) => Promise<Blob>,
 *   again: (parentId: string | null) => void,
 *   show: (messageId: string) => void,
 *   toMessage: () => void,
 * }} TurnActions  `toMessage`: to the field for the next message
 */

/**
 * Who has pressed a button here finds it again, or writes on: the focus is never lost with a button.
 * @param {HTMLElement} foot @param {(HTMLElement | null)[]} children @param {TurnActions} actions
 */
export function refillFooter(foot, children, actions) {
  const focused = foot.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  fill(foot, ...children);
  if (focused === null) return;
  const again = [...foot.querySelectorAll("button")].find((each) => !each.disabled && nameOf(each) === focused);
  if (again) again.focus({ preventScroll: true });
  else actions.toMessage();
}

/** @param {Element | null} element */
const nameOf = (element) => element?.getAttribute("aria-label") ?? element?.textContent ?? "";

/** @param {string} at ISO 8601; "" while it is not known */
export function timeOf(at) {
  return at === "" ? null : el("time", { class: "facts", datetime: at }, formatClock(Date.parse(at)));
}

/** @typedef {{all: string, previous: string, next: string, at: (number: number, count: number) => string}} BranchWords */
/**
 * Goes through the messages that stand in each other's place.
 * @param {BranchWords} words @param {BranchPoint} branch @param {boolean} isBusy @param {TurnActions} actions
 */
export function branchSwitch(words, { siblings, index }, isBusy, actions) {
  if (siblings.length < 2 && index === 0) return null;
  /** @param {string} sign @param {string} label @param {number} step */
  const go = (sign, label, step) =>
    button(sign, () => actions.show(siblings[index + step]), {
      class: "quiet small",
      "aria-label": label,
      disabled: isBusy || siblings[index + step] === undefined,
    });
  const where = index < siblings.length ? words.at(index + 1, siblings.length) : t`After ${siblings.length}`;
  const place = el("span", { class: "facts" }, where);
  return el(
    "span",
    { class: "branches", role: "group", "aria-label": words.all },
    go("‹", words.previous, -1),
    place,
    go("›", words.next, 1),
  );
}
