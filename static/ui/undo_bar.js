// @ts-check
/** Says what was removed, and takes it back at a press within ten seconds. Then, or when the page is left, it is final. */
import { t } from "../base/language.js";
import { announceSentence, button, el, fill, sentenceOf } from "./dom.js";

/** A little less than the ten seconds that the bridge allows (`bridge/auth/removals.py`): a press needs its way. */
const UNDO_MS = 9500;
/** How long a bar says that undoing has failed. */
const FAILED_MS = 8000;

/**
 * @typedef {object} Undoing
 * @property {() => Promise<unknown>} undo
 * @property {string} undone  sentence for when that has succeeded
 * @property {(isLeaving: boolean) => void} [finish]  makes final what has only been hidden; isLeaving: the page goes now
 */

const place = el("div", { class: "undo-bars" });
/** @type {Set<UndoBar>} */
const open = new Set();

/** @param {string} sentence what was done @param {Undoing} undoing */
export function offerUndo(sentence, undoing) {
  if (!place.isConnected) {
    document.body.append(place);
    window.addEventListener("pagehide", () => {
      for (const bar of open) bar.end(true);
    });
  }
  open.add(new UndoBar(sentence, undoing));
  announceSentence(sentence);
}

class UndoBar {
  /** @param {string} sentence @param {Undoing} undoing */
  constructor(sentence, undoing) {
    this.undoing = undoing;
    this.words = el("span", null, sentence);
    this.press = button(t`Undo`, () => void this.#undo(), { class: "small", "aria-label": t`Undo: ${sentence}` });
    this.element = el("div", { class: "undo-bar", role: "group", "aria-label": sentence }, this.words, this.press);
    this.timer = setTimeout(() => this.end(false), UNDO_MS);
    place.append(this.element);
    // The button that was pressed is gone with what it removed.
    if (document.activeElement === document.body) this.press.focus({ preventScroll: true });
  }

  /** It is final. @param {boolean} isLeaving */
  end(isLeaving) {
    this.#settle();
    this.undoing.finish?.(isLeaving);
    this.#close();
  }

  #settle() {
    clearTimeout(this.timer);
    open.delete(this);
  }

  async #undo() {
    this.#settle();
    this.press.disabled = true;
    try {
      await this.undoing.undo();
      this.#close();
      announceSentence(this.undoing.undone);
    } catch (failure) {
      const why = sentenceOf(failure);
      fill(this.words, why);
      this.press.remove();
      announceSentence(why);
      setTimeout(() => this.#close(), FAILED_MS);
    }
  }

  #close() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    if (hadFocus) document.getElementById("main")?.focus({ preventScroll: true });
  }
}
