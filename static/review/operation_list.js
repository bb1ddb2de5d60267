// @ts-check
/** The list of operations under review: groups to fold and to choose as a whole, and a row for each operation in sight. */
import { t } from "../base/language.js";
import { button, el, freshId } from "../ui/dom.js";
import { WindowedList } from "../windowed_list/windowed_list.js";
import { formatCount } from "../ui/format_count.js";
import { linesOf } from "./operation_groups.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("./operation_groups.js").Line} Line */
/** @typedef {import("./operation_groups.js").OperationGroup} OperationGroup */

/** With more operations than this, groups begin folded. */
const MANY_OPERATIONS = 100;

export class OperationList {
  /**
   * @param {import("./operation_choice.js").OperationChoice} choice
   * @param {(tool: ServerTool) => HTMLElement} makeRow with a checkbox
   * @param {() => void} changed the choice is another one
   */
  constructor(choice, makeRow, changed) {
    this.choice = choice;
    this.changed = changed;
    this.element = el("ul", { class: "review", "aria-label": t`Operations` });
    /** @type {OperationGroup[]} */
    this.groups = [];
    /** Groups that the user has opened or folded. @type {Map<string, boolean>} */
    this.isOpen = new Map();
    this.isSearched = false;
    this.list = new WindowedList(this.element, {
      keyOf: (/** @type {Line} */ line) => (line.kind === "group" ? line.group.id : `tool ${line.tool.key}`),
      make: (line) => (line.kind === "group" ? this.#groupRow(line.group) : makeRow(line.tool)),
      update: (line, element) =>
        line.kind === "group" ? this.#updateGroup(line, element) : this.#updateRow(line.tool, element),
      guess: (line) =>
        line.kind === "group"
          ? 45
          : 62 + Math.min(2, line.tool.warnings.length) * 20 + (line.tool.description || line.tool.summary ? 20 : 0),
    });
    this.element.addEventListener("change", (event) => this.#choose(/** @type {HTMLInputElement} */ (event.target)));
    this.element.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  start() {
    this.list.start();
  }

  stop() {
    this.list.stop();
  }

  /** @param {OperationGroup[]} groups @param {boolean} isSearched then all groups are open */
  showGroups(groups, isSearched) {
    this.groups = groups;
    this.isSearched = isSearched;
    this.#show();
  }

  /** The choice was changed elsewhere. */
  refreshRows() {
    this.list.refreshLines();
  }

  /** Makes all rows anew. @param {import("./operation_choice.js").OperationChoice} choice in place of the one there was */
  redrawRows(choice) {
    this.choice = choice;
    this.list.clearLines();
  }

  #show() {
    this.list.showLines(linesOf(this.groups, (group) => this.#shows(group)));
  }

  /** @param {OperationGroup} group */
  #shows({ id }) {
    const isFew = id === "changed" || this.choice.tools.length <= MANY_OPERATIONS;
    return this.isSearched || (this.isOpen.get(id) ?? isFew);
  }

  /** @param {OperationGroup} group as it was when the row was made: what it holds is looked up when it is pressed */
  #groupRow({ id, title }) {
    const now = () => this.groups.find((group) => group.id === id) ?? { id, title, tools: [] };
    const fold = () => {
      this.isOpen.set(id, !this.#shows(now()));
      this.#show();
    };
    const readOnly = () => this.#chooseOf(now(), ({ safe }) => safe);
    const name = freshId("group");
    return el(
      "li",
      { class: "review-group" },
      el("input", { type: "checkbox", "aria-label": t`All of ${title}`, dataset: { group: id } }),
      el("h3", null, button(title, fold, { class: "fold", id: name })),
      el("span", { class: "facts" }),
      button(t`Read-only`, readOnly, { class: "quiet small", "aria-label": t`Read-only: ${title}` }),
    );
  }

  /** @param {Extract<Line, {kind: "group"}>} line @param {HTMLElement} element */
  #updateGroup({ group, isOpen }, element) {
    const [box, fold, facts] = ["input", ".fold", ".facts"].map(
      (part) => /** @type {HTMLElement} */ (element.querySelector(part)),
    );
    const chosen = this.choice.countOf(group.tools);
    Object.assign(box, {
      checked: chosen === group.tools.length,
      indeterminate: chosen > 0 && chosen < group.tools.length,
    });
    fold.setAttribute("aria-expanded", String(isOpen));
    facts.textContent = t`${chosen} of ${formatCount(group.tools.length, "operation")}`;
  }

  /** @param {ServerTool} tool @param {HTMLElement} element */
  #updateRow(tool, element) {
    const box = element.querySelector("input");
    if (box) box.checked = this.choice.isChosen(tool);
  }

  /** @param {HTMLInputElement} box */
  #choose(box) {
    const line = this.list.lines[this.list.indexOf(box)];
    if (line?.kind === "group") this.#chooseOf(line.group, () => box.checked);
    else if (line) this.#chooseOf({ tools: [line.tool] }, () => box.checked);
  }

  /** @param {Pick<OperationGroup, "tools">} group @param {(tool: ServerTool) => boolean} isWanted */
  #chooseOf({ tools }, isWanted) {
    this.choice.chooseOperations(tools, isWanted);
    this.list.refreshLines();
    this.changed();
  }

  /** The arrow keys go from checkbox to checkbox, also to those that are not drawn yet. @param {KeyboardEvent} event */
  #handleKey(event) {
    const at = this.list.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.list.lines.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    this.list
      .revealLine(Math.min(Math.max(next, 0), this.list.lines.length - 1))
      ?.querySelector("input")
      ?.focus();
  }
}
