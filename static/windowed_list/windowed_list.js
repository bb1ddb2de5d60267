// @ts-check
/**
 * A list of any length: only the lines in sight are elements. Up to `WHOLE_LINES` all are, in the ordinary flow, so that
 * the browser's own search finds them. It scrolls with the page, or within a box with a scrollbar of its own.
 */
import { LineHeights } from "./line_heights.js";

const WHOLE_LINES = 150;
/** Beside what is in sight, so that scrolling does not show gaps. */
const MARGIN_PX = 400;

/**
 * @template Line
 * @typedef {object} Drawing
 * @property {(line: Line) => string} keyOf         unique in the list
 * @property {(line: Line) => HTMLElement} make     a list item
 * @property {(line: Line, element: HTMLElement) => void} [update]  what may have changed of one that is drawn
 * @property {(line: Line) => number} guess         height in CSS pixels before it is measured
 * @property {boolean} [isTable]                    its lines are rows below a head, not items of a list
 */

/** @template Line */
export class WindowedList {
  /** @param {HTMLElement} element the list @param {Drawing<Line>} drawing */
  constructor(element, drawing) {
    this.element = element;
    this.drawing = drawing;
    /** @type {Line[]} */
    this.lines = [];
    /** Key to index. @type {Map<string, number>} */
    this.places = new Map();
    this.heights = new LineHeights([]);
    this.isWhole = true;
    /** By key. @type {Map<string, HTMLElement>} */
    this.drawn = new Map();
    this.resizes = new ResizeObserver(() => this.#drawSoon());
    this.ends = new AbortController();
    this.waiting = 0;
  }

  /** Follows scrolling and resizing until `stop`. */
  start() {
    const { signal } = this.ends;
    document.addEventListener("scroll", () => this.#drawSoon(), { capture: true, passive: true, signal });
    window.addEventListener("resize", () => this.#drawSoon(), { signal });
  }

  stop() {
    this.ends.abort();
    this.resizes.disconnect();
    cancelAnimationFrame(this.waiting);
  }

  /** @param {Line[]} lines in place of those there are; lines with a known key keep their elements */
  showLines(lines) {
    const { keyOf, guess } = this.drawing;
    const heightOf = (/** @type {string} */ key) => this.heights.heights[this.places.get(key) ?? -1];
    const keys = lines.map(keyOf);
    this.heights = new LineHeights(lines.map((line, index) => heightOf(keys[index]) ?? guess(line)));
    this.places = new Map(keys.map((key, index) => [key, index]));
    this.lines = lines;
    this.isWhole = lines.length <= WHOLE_LINES;
    this.element.classList.toggle("windowed", !this.isWhole);
    this.#draw();
    this.refreshLines();
  }

  /** Takes all elements away; the next lines that are shown are made anew. */
  clearLines() {
    this.resizes.disconnect();
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
  }

  /** Draws anew what may have changed of the lines in sight. */
  refreshLines() {
    for (const [key, element] of this.drawn) this.drawing.update?.(this.lines[this.#placeOf(key)], element);
  }

  /** Makes a line an element and brings it into sight. @param {number} index @returns {HTMLElement | undefined} */
  revealLine(index) {
    const line = this.lines[index];
    if (line === undefined) return undefined;
    const key = this.drawing.keyOf(line);
    if (!this.drawn.has(key)) this.#drawLines([index]);
    const element = this.drawn.get(key);
    element?.scrollIntoView({ block: "nearest" });
    this.#draw();
    return element;
  }

  /** The line that an element is in. @param {Element | null} element @returns {number} -1: of none */
  indexOf(element) {
    const item = [...this.drawn].find(([, drawn]) => drawn.contains(element));
    return item ? this.#placeOf(item[0]) : -1;
  }

  /** @param {string} key */
  #placeOf(key) {
    return this.places.get(key) ?? -1;
  }

  #drawSoon() {
    if (this.waiting !== 0 || this.isWhole) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.#draw();
    });
  }

  /** Twice where heights were guessed wrong: what is in sight then differs. */
  #draw() {
    this.#drawLines(this.#linesInSight());
    if (!this.isWhole && this.#measure()) this.#drawLines(this.#linesInSight());
    this.element.style.height = this.isWhole ? "" : `${this.heights.totalHeight}px`;
  }

  /** @returns {number[]} with the line that has the focus, wherever it is */
  #linesInSight() {
    if (this.isWhole) return this.lines.map((_, index) => index);
    const { top } = this.element.getBoundingClientRect();
    const bounds = scrollerOf(this.element).getBoundingClientRect();
    const first = this.heights.lineAt(Math.max(0, bounds.top) - top - MARGIN_PX);
    const last = this.heights.lineAt(Math.min(innerHeight, bounds.bottom) - top + MARGIN_PX);
    const seen = Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step).filter(
      (index) => index >= 0,
    );
    const focused = this.element.contains(document.activeElement) ? this.indexOf(document.activeElement) : -1;
    return focused >= 0 && !seen.includes(focused) ? [...seen, focused].sort((one, other) => one - other) : seen;
  }

  /** @param {number[]} indices ascending; all others are taken away */
  #drawLines(indices) {
    const { keyOf, make } = this.drawing;
    const wanted = new Map(indices.map((index) => [keyOf(this.lines[index]), index]));
    for (const [key, element] of this.drawn) {
      if (wanted.has(key)) continue;
      this.resizes.unobserve(element);
      element.remove();
      this.drawn.delete(key);
    }
    let before = this.element.firstElementChild;
    for (const [key, index] of wanted) {
      const element = this.drawn.get(key) ?? make(this.lines[index]);
      if (element === before) before = before.nextElementSibling;
      else this.element.insertBefore(element, before);
      if (!this.drawn.has(key)) this.resizes.observe(element);
      this.drawn.set(key, element);
      this.#place(element, index);
    }
  }

  /** @param {HTMLElement} element @param {number} index */
  #place(element, index) {
    element.style.top = this.isWhole ? "" : `${this.heights.offsetOf(index)}px`;
    if (this.drawing.isTable) return element.setAttribute("aria-rowindex", String(index + 2));
    for (const [name, count] of /** @type {const} */ ([
      ["aria-setsize", this.lines.length],
      ["aria-posinset", index + 1],
    ])) {
      if (this.isWhole) element.removeAttribute(name);
      else element.setAttribute(name, String(count));
    }
  }

  /** Keeps the first line in sight where it is. @returns {boolean} whether lines moved */
  #measure() {
    const drawn = [...this.drawn].map(
      ([key, element]) => /** @type {[number, HTMLElement]} */ ([this.#placeOf(key), element]),
    );
    const { top } = this.element.getBoundingClientRect();
    const scroller = scrollerOf(this.element);
    const seen = this.heights.lineAt(Math.max(0, scroller.getBoundingClientRect().top) - top);
    const before = this.heights.offsetOf(Math.max(0, seen));
    const measured = drawn.map(([index, { offsetHeight }]) => /** @type {[number, number]} */ ([index, offsetHeight]));
    if (!this.heights.measureLines(measured.filter(([, height]) => height > 0))) return false; // 0: hidden
    const moved = this.heights.offsetOf(Math.max(0, seen)) - before;
    for (const [index, element] of drawn) this.#place(element, index);
    if (moved !== 0 && top < 0) scroller.scrollTop += moved;
    return true;
  }
}

/** What scrolls an element: the nearest box with a scrollbar of its own, else the page. @param {HTMLElement} element @returns {Element} */
function scrollerOf(element) {
  for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
  return document.scrollingElement ?? document.documentElement;
}
