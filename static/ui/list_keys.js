// @ts-check
/**
 * The keyboard in a list of links: the list is one stop of Tab, and the arrow keys, Home and End move within it. With a
 * thousand links as stops of their own nobody would reach what follows the list.
 */

const TOOL = "li";
const ROW = "li, .tool-group";
const CONTROL = "a, button";

export class ListKeys {
  /** The row that Tab leads to. @type {Element | null} */
  #current = null;

  /** @param {HTMLElement} list holds rows, each with a link, and headings with a button */
  constructor(list) {
    this.list = list;
    list.addEventListener("keydown", (event) => this.#handleKey(event));
    list.addEventListener("focusin", (event) => this.#choose(/** @type {Element} */ (event.target).closest(ROW)));
  }

  /** Takes over rows that were just drawn: Tab leads to the chosen one, else to the first. */
  takeRows() {
    for (const control of this.list.querySelectorAll(CONTROL)) control.setAttribute("tabindex", "-1");
    this.#current = null;
    this.#choose(
      this.list.querySelector(`${TOOL}:has([aria-current])`) ??
        this.list.querySelector(TOOL) ??
        this.list.querySelector(ROW),
    );
  }

  /** @param {Element | null} row */
  #choose(row) {
    if (row === null || row === this.#current) return;
    for (const control of this.#current?.querySelectorAll(CONTROL) ?? []) control.setAttribute("tabindex", "-1");
    for (const control of row.querySelectorAll(CONTROL)) control.removeAttribute("tabindex");
    this.#current = row;
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const rows = [...this.list.querySelectorAll(ROW)];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const control = rows[Math.min(Math.max(next, 0), rows.length - 1)].querySelector(CONTROL);
    if (control instanceof HTMLElement) control.focus();
  }
}
