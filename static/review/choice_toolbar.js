// @ts-check
/** Above the operations under review: what is looked for, what is chosen of it at once, and what accepting would do. */
import { t } from "../base/language.js";
import { button, el, labelledField } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { formatCount } from "../ui/format_count.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {import("./operation_groups.js").Show} Show */

/** A shorter list is read as quickly as it is searched. */
const SEARCHED_OPERATIONS = 12;

/** @type {[Show, string][]} */
const SHOWN = [
  ["", t`All operations`],
  ["not_accepted", t`Not accepted`],
  ["chosen", t`Selected`],
  ["not_chosen", t`Not selected`],
  ["unsafe", t`Can change data`],
  ["changed", t`Changed`],
];

export class ChoiceToolbar {
  /**
   * @param {ServerTool[]} tools
   * @param {{search: () => void, choose: (isWanted: (tool: ServerTool) => boolean) => void, accept: (event: Event) => void}} actions
   */
  constructor(tools, { search, choose, accept }) {
    this.tools = tools;
    this.search = el("input", { type: "search", autocomplete: "off", oninput: search });
    this.show = el("select", { onchange: search }, ...SHOWN.map(([value, label]) => el("option", { value }, label)));
    this.facts = el("span", { class: "facts", role: "status" });
    this.count = el("span", { class: "count", role: "status" });
    this.accept = guardControl(button(t`Accept the selection`, accept, { dataset: { testid: "accept" } }));
    const choice = (/** @type {string} */ label, /** @type {(tool: ServerTool) => boolean} */ isWanted) =>
      button(label, () => choose(isWanted), { class: "quiet" });
    const finding = el(
      "div",
      { class: "finding" },
      labelledField(t`Search the operations`, this.search),
      labelledField(t`Show`, this.show),
    );
    finding.hidden = tools.length < SEARCHED_OPERATIONS;
    const buttons = [
      choice(t`All`, () => true),
      choice(t`Read-only`, ({ safe }) => safe),
      choice(t`None`, () => false),
    ];
    const group = el(
      "div",
      { class: "actions", role: "group", "aria-label": t`Choose operations` },
      this.facts,
      ...buttons,
    );
    this.element = el("div", { class: "toolbar sticky" }, finding, group, el("span", { class: "spacer" }));
    this.decision = el("div", { class: "decision" }, this.count, this.accept);
    this.element.append(this.decision);
  }

  /** @returns {{query: string, show: Show}} */
  readFilter() {
    return { query: this.search.value.trim(), show: /** @type {Show} */ (this.show.value) };
  }

  /** @param {number} found @param {boolean} isFiltered */
  showFound(found, isFiltered) {
    const unsafe = this.tools.reduce((sum, { safe }) => sum + Number(!safe), 0);
    const all = formatCount(this.tools.length, "operation");
    this.facts.textContent = isFiltered
      ? t`${found} of ${all}. Choose among these:`
      : t`${all}, ${unsafe} can change data`;
  }

  /** @param {import("./operation_choice.js").OperationChoice} choice @param {boolean} isReady what would be sent is known */
  showChoice(choice, isReady) {
    this.count.textContent = isReady ? choice.choiceSentence : t`${choice.choiceSentence}. Reading their requests…`;
    this.accept.classList.toggle("primary", isReady && choice.isChange);
    this.accept.disabled = !isReady;
  }
}
