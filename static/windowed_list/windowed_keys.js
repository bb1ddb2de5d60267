// @ts-check
/**
 * The keyboard in a list of which only the lines in sight are elements: the list is one stop of Tab, and the arrow keys,
 * Home and End reach every line, drawn or not.
 */

const CONTROL = "a, button";

/** @template Line */
export class WindowedKeys {
  /** Key of the line that Tab leads to. */
  #current = "";

  /**
   * @param {HTMLElement} rows
   * @param {import("./windowed_list.js").WindowedList<Line>} list
   * @param {(line: Line) => boolean} hasControl
   */
  constructor(rows, list, hasControl) {
    this.list = list;
    this.hasControl = hasControl;
    rows.addEventListener("keydown", (event) => this.#handleKey(event));
    rows.addEventListener("focusin", (event) => this.#choose(/** @type {Element} */ (event.target)));
  }

  /** Before lines are shown: Tab leads to where it led, or if that is gone to the first that is wanted most. @param {Line[]} lines @param {((line: Line) => boolean)[]} wanted the first is wanted most */
  leadTo(lines, wanted) {
    const { keyOf } = this.list.drawing;
    if (lines.some((line) => keyOf(line) === this.#current)) return;
    const line = [...wanted, this.hasControl].map((fits) => lines.find(fits)).find((found) => found !== undefined);
    this.#current = line === undefined ? "" : keyOf(line);
  }

  /** The stops of Tab in a line that was drawn or filled. @param {Line} line @param {HTMLElement} element */
  updateLine(line, element) {
    const isCurrent = this.list.drawing.keyOf(line) === this.#current;
    for (const control of element.querySelectorAll(CONTROL)) {
      if (isCurrent) control.removeAttribute("tabindex");
      else control.setAttribute("tabindex", "-1");
    }
  }

  /** Back to the control that had the focus when the line was filled anew. @param {HTMLElement} element @param {string} className of the control */
  focusIn(element, className) {
    const controls = /** @type {HTMLElement[]} */ ([...element.querySelectorAll(CONTROL)]);
    (controls.find((control) => control.className === className) ?? controls[0])?.focus();
  }

  /** @param {Element} focused */
  #choose(focused) {
    const line = this.list.lines[this.list.indexOf(focused)];
    if (line === undefined || this.list.drawing.keyOf(line) === this.#current) return;
    this.#current = this.list.drawing.keyOf(line);
    this.list.refreshLines();
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const { lines } = this.list;
    const at = this.list.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1, Home: 1, End: -1 }[event.key];
    if (at < 0 || step === undefined) return;
    event.preventDefault();
    const first = { Home: 0, End: lines.length - 1 }[event.key] ?? at + step;
    let next = first;
    while (lines[next] !== undefined && !this.hasControl(lines[next])) next += step;
    const control = this.list.revealLine(next)?.querySelector(CONTROL);
    if (control instanceof HTMLElement) control.focus();
  }
}
