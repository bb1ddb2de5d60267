// @ts-check
/**
 * JSON as a tree that folds: an ARIA tree, one stop of Tab, moved in by arrow keys. What is folded is not drawn, and long
 * lists are drawn in parts, so that a hundred thousand values cost what is looked at.
 */
import { t } from "../base/language.js";
import { copyButton, el, fill } from "../ui/dom.js";
import { copyOf, countMembers, isContainer, membersOf, pathBelow, previewOf } from "./json_path.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */

/** Values that are drawn at once. */
const PART = 100;
/** Rows that stand open at first. */
const OPEN_ROWS = 40;
/** A text longer than this is cut in the tree; copying takes it whole. */
const SHOWN_CHARS = 2000;

/**
 * @typedef {object} Row
 * @property {JsonValue} value
 * @property {string} path
 * @property {number} level  1 at the root
 * @property {HTMLElement | null} group  where its members are; null: it has none
 */

export class JsonTree {
  /** @type {WeakMap<Element, Row>} */
  #rows = new WeakMap();
  /** @type {HTMLElement | null} */
  #current = null;

  /** @param {JsonValue} value */
  constructor(value) {
    this.tree = el("ul", { class: "json-tree", role: "tree", "aria-label": t`The answer as a tree` });
    this.path = el("code", { class: "wrap" });
    const chosen = () => this.#rows.get(this.#current ?? this.tree);
    const bar = el(
      "div",
      { class: "actions json-bar" },
      this.path,
      el("span", { class: "spacer" }),
      copyButton(t`Copy value`, () => copyOf(chosen()?.value ?? null)),
      copyButton(t`Copy path`, () => chosen()?.path ?? ""),
    );
    this.element = el("div", { class: "json-view" }, bar, this.tree);
    const root = this.#rowOf(null, { value, path: "$", level: 1 });
    this.tree.append(root);
    this.#choose(root);
    this.#openFirst(root);
    this.tree.addEventListener("click", (event) => this.#handleClick(event));
    this.tree.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  /** @param {string | number | null} step null at the root @param {Omit<Row, "group">} facts */
  #rowOf(step, { value, path, level }) {
    const count = countMembers(value);
    const group = count > 0 ? el("ul", { role: "group" }) : null;
    const line = el(
      "span",
      { class: "json-line" },
      step === null ? null : el("span", { class: "json-key" }, `${step}: `),
      ...valueParts(value),
    );
    const properties = {
      role: "treeitem",
      tabindex: "-1",
      "aria-level": level,
      "aria-expanded": group ? "false" : null,
      "aria-selected": "false",
    };
    const row = el("li", properties, line, group);
    if (group) group.hidden = true;
    this.#rows.set(row, { value, path, level, group });
    return row;
  }

  /** Opens from the outside in, as far as it stays easy to look over. @param {HTMLElement} root */
  #openFirst(root) {
    let left = OPEN_ROWS;
    for (let level = [root]; level.length > 0; ) {
      /** @type {HTMLElement[]} */
      const next = [];
      for (const row of level) {
        const count = Math.min(countMembers(this.#rows.get(row)?.value ?? null), PART);
        if (count > left && row !== root) continue;
        left -= count;
        this.#setOpen(row, true);
        next.push(.../** @type {HTMLElement[]} */ ([...(this.#rows.get(row)?.group?.children ?? [])]));
      }
      level = next.filter((row) => this.#rows.get(row)?.group);
    }
  }

  /** Opens what is around a value and chooses it; the focus stays. @param {(string | number)[]} steps from the root */
  revealPlace(steps) {
    let row = /** @type {HTMLElement} */ (this.tree.firstElementChild);
    for (const step of steps) {
      const facts = this.#rows.get(row);
      if (!facts) return;
      this.#setOpen(row, true);
      const path = pathBelow(facts.path, step);
      const find = () => [...(facts.group?.children ?? [])].find((each) => this.#rows.get(each)?.path === path);
      let next = find();
      for (let last = facts.group?.lastElementChild; !next && last instanceof HTMLElement && last.dataset.more; ) {
        last.remove();
        this.#drawPart(facts);
        next = find();
        last = facts.group?.lastElementChild;
      }
      if (!(next instanceof HTMLElement)) return;
      row = next;
    }
    this.#choose(row);
    row.querySelector(".json-line")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {HTMLElement} row @param {boolean} isOpen */
  #setOpen(row, isOpen) {
    const facts = this.#rows.get(row);
    if (!facts?.group) return;
    if (isOpen && facts.group.childElementCount === 0) this.#drawPart(facts);
    facts.group.hidden = !isOpen;
    row.setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {Row} facts */
  #drawPart({ value, path, level, group }) {
    if (!group) return;
    const from = group.childElementCount;
    const members = membersOf(value, from, PART);
    group.append(
      ...members.map(({ step, value: member }) =>
        this.#rowOf(step, { value: member, path: pathBelow(path, step), level: level + 1 }),
      ),
    );
    const left = countMembers(value) - from - members.length;
    if (left > 0) group.append(moreRow(left, level + 1));
  }

  /** Draws what follows in the place of the row that stands for it. @param {HTMLElement} more */
  #drawMore(more) {
    const owner = more.parentElement?.closest("[role=treeitem]");
    const [facts, before] = [this.#rows.get(owner ?? more), more.previousElementSibling];
    more.remove();
    if (facts) this.#drawPart(facts);
    this.#choose(/** @type {HTMLElement | null} */ (before?.nextElementSibling ?? before), true);
  }

  /** @param {HTMLElement | null} row @param {boolean} [hasFocus] */
  #choose(row, hasFocus = false) {
    if (row === null) return;
    for (const [name, last, next] of [
      ["tabindex", "-1", "0"],
      ["aria-selected", "false", "true"],
    ]) {
      this.#current?.setAttribute(name, last);
      row.setAttribute(name, next);
    }
    this.#current = row;
    fill(this.path, this.#rows.get(row)?.path ?? "");
    if (hasFocus) row.focus();
  }

  /** @param {MouseEvent} event */
  #handleClick(event) {
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[role=treeitem]"));
    if (row === null || String(getSelection() ?? "") !== "") return; // the user marks a text
    if (row.dataset.more) return this.#drawMore(row);
    this.#choose(row, true);
    this.#setOpen(row, row.getAttribute("aria-expanded") === "false");
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    const row = this.#current;
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.#actionOf(event.key, row);
    if (action === null) return;
    event.preventDefault();
    action();
  }

  /** @param {string} key @param {HTMLElement} row @returns {(() => void) | null} */
  #actionOf(key, row) {
    const isOpen = row.getAttribute("aria-expanded");
    const go = (/** @type {Element | null} */ to) => () => this.#choose(/** @type {HTMLElement | null} */ (to), true);
    const turn = () => (row.dataset.more ? this.#drawMore(row) : this.#setOpen(row, isOpen === "false"));
    if (key === "ArrowDown") return go(rowAfter(row));
    if (key === "ArrowUp") return go(rowBefore(row));
    if (key === "Home") return go(this.tree.firstElementChild);
    if (key === "End") return go(lastRow(/** @type {HTMLElement} */ (this.tree.firstElementChild)));
    if (key === "ArrowRight")
      return isOpen === "false" ? turn : isOpen === "true" ? go(rowAfter(row)) : () => undefined;
    if (key === "ArrowLeft") return isOpen === "true" ? turn : go(ownerOf(row));
    return key === "Enter" || key === " " ? turn : null;
  }
}

/** @param {JsonValue} value */
function valueParts(value) {
  if (!isContainer(value)) {
    const type = value === null ? "null" : typeof value;
    const text = previewOf(value);
    return [el("span", { class: `json-${type}` }, text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text)];
  }
  const count = countMembers(value);
  const size = Array.isArray(value) ? `[${count}]` : `{${count}}`;
  return [el("span", { class: "json-size" }, size), el("span", { class: "json-preview" }, ` ${previewOf(value)}`)];
}

/** @param {number} left @param {number} level */
function moreRow(left, level) {
  const words = t`${left} more; show the next ${Math.min(left, PART)}`;
  return el(
    "li",
    { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-selected": "false", dataset: { more: "1" } },
    el("span", { class: "json-line json-more" }, words),
  );
}

/** @param {Element} row @returns {Element | null} its first member, when it is open */
const firstInside = (row) =>
  row.getAttribute("aria-expanded") === "true" ? row.querySelector(":scope > [role=group] > [role=treeitem]") : null;

/** @param {Element} row */
const ownerOf = (row) => row.parentElement?.closest("[role=treeitem]") ?? null;

/** @param {Element} row @returns {Element | null} */
function rowAfter(row) {
  const inside = firstInside(row);
  if (inside) return inside;
  for (let at = /** @type {Element | null} */ (row); at; at = ownerOf(at))
    if (at.nextElementSibling) return at.nextElementSibling;
  return null;
}

/** @param {Element} row */
function rowBefore(row) {
  const before = row.previousElementSibling;
  return before ? lastRow(before) : ownerOf(row);
}

/** The last row that can be seen below this one, or itself. @param {Element} row @returns {Element} */
function lastRow(row) {
  const members = firstInside(row)?.parentElement?.children;
  return members ? lastRow(members[members.length - 1]) : row;
}
