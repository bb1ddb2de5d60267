// @ts-check
/** The list of calls as a table of which only the lines in sight are elements, and the arrow keys in it. */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { WindowedList } from "../windowed_list/windowed_list.js";
import { CallLine } from "./call_line.js";

/** @typedef {import("./call_list.js").ListedCall} ListedCall */

/** Height of a line before it is measured. */
const LINE_PX = 45;

const HEAD = [t`Time`, t`Tool`, t`Request`, t`Status`, t`Duration`, ""];

export class CallTable {
  /** @type {WeakMap<HTMLElement, CallLine>} */
  #lines = new WeakMap();
  /** @type {ListedCall[]} */
  #shown = [];
  #openId = "";

  /** @param {import("./call_line.js").Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.rows = el("div", { role: "rowgroup", class: "call-lines" });
    this.rows.addEventListener("keydown", (event) => this.#press(event));
    this.element = el(
      "div",
      { role: "table", class: "calls", "aria-label": t`Calls`, hidden: true },
      head(),
      this.rows,
    );
    this.windowed = new WindowedList(this.rows, {
      isTable: true,
      keyOf: (/** @type {ListedCall} */ { id }) => id,
      guess: () => LINE_PX,
      make: (call) => this.#make(call),
      update: (call, element) => this.#lines.get(element)?.update(call, call.id === this.#openId),
    });
  }

  start() {
    this.windowed.start();
  }

  stop() {
    this.windowed.stop();
  }

  /** @param {ListedCall[]} calls newest first @param {boolean} hasMore */
  showCalls(calls, hasMore) {
    this.#shown = calls;
    this.element.hidden = calls.length === 0;
    this.element.setAttribute("aria-rowcount", String(hasMore ? -1 : calls.length + 1));
    this.windowed.showLines(calls);
  }

  /** @param {string} id of the call that is open; "": none */
  markOpen(id) {
    this.#openId = id;
    this.windowed.refreshLines();
  }

  /** @param {string} id of the call whose line gets the focus */
  focusCall(id) {
    this.#focusLine(this.#shown.findIndex((call) => call.id === id));
  }

  /** @param {ListedCall} call */
  #make(call) {
    const line = new CallLine(call, this.actions);
    this.#lines.set(line.element, line);
    return line.element;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const at = this.windowed.indexOf(document.activeElement);
    const last = this.#shown.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    this.#focusLine(Math.min(Math.max(next, 0), last));
  }

  /** @param {number} place */
  #focusLine(place) {
    this.windowed.revealLine(place)?.querySelector("button")?.focus();
  }
}

const head = () =>
  el(
    "div",
    { role: "rowgroup" },
    el(
      "div",
      { role: "row", class: "call-line call-head-line" },
      ...HEAD.map((label) =>
        el("div", { role: "columnheader" }, label || el("span", { class: "visually-hidden" }, t`Actions`)),
      ),
    ),
  );
