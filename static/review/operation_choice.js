// @ts-check
/** Which operations a user is about to accept, beside those that are accepted now. State as data, no DOM. */
import { t, counted } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */

export class OperationChoice {
  /**
   * @param {ServerTool[]} tools all of the server
   * @param {{isNow: (tool: ServerTool) => boolean, isChosen: (tool: ServerTool) => boolean, isDecided: boolean}} standing
   *   `isNow`: accepted, by this browser too; `isChosen`: to begin with; `isDecided`: the user has accepted or declined before
   */
  constructor(tools, { isNow, isChosen, isDecided }) {
    this.tools = tools;
    this.isDecided = isDecided;
    this.now = new Set(tools.filter(isNow).map(({ key }) => key));
    this.chosen = new Set(tools.filter(isChosen).map(({ key }) => key));
  }

  get chosenCount() {
    return this.chosen.size;
  }

  /** @param {ServerTool} tool */
  isChosen({ key }) {
    return this.chosen.has(key);
  }

  /** @param {ServerTool} tool */
  isNow({ key }) {
    return this.now.has(key);
  }

  /** @param {Iterable<ServerTool>} tools @param {(tool: ServerTool) => boolean} isWanted decides about these, and no others */
  chooseOperations(tools, isWanted) {
    for (const tool of tools) {
      if (isWanted(tool)) this.chosen.add(tool.key);
      else this.chosen.delete(tool.key);
    }
  }

  /** @returns {ServerTool[]} */
  listChosen() {
    return this.tools.filter(({ key }) => this.chosen.has(key));
  }

  /** @param {ServerTool[]} tools of a group */
  countOf(tools) {
    return tools.reduce((sum, { key }) => sum + Number(this.chosen.has(key)), 0);
  }

  /** @returns {{added: number, withdrawn: number}} */
  get changeCounts() {
    const stay = [...this.chosen].reduce((sum, key) => sum + Number(this.now.has(key)), 0);
    return { added: this.chosen.size - stay, withdrawn: this.now.size - stay };
  }

  /** Accepting nothing of a document that nobody has decided about is a decision as well. */
  get isChange() {
    const { added, withdrawn } = this.changeCounts;
    return added + withdrawn > 0 || !this.isDecided;
  }

  /** What accepting would do, in words. */
  get choiceSentence() {
    const { added, withdrawn } = this.changeCounts;
    const parts = [added > 0 && t`${added} new`, withdrawn > 0 && t`${withdrawn} withdrawn`];
    const selected = t`${this.chosenCount} selected`;
    if (this.now.size === 0) return selected;
    return this.isChange ? `${selected}: ${parts.filter(Boolean).join(", ")}` : t`${selected}, all accepted`;
  }

  /** What is left undone once it is accepted. */
  get leftSentence() {
    const left = this.tools.length - this.now.size;
    if (left === 0) return t`Nothing is left to decide.`;
    return counted(
      left,
      "{0} operation of this document is not accepted.",
      "{0} operations of this document are not accepted.",
    );
  }
}
