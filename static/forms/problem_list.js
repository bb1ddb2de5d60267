// @ts-check
/** All that is wrong with a form in one place, each a way to its field; it shrinks as the fields are mended. */
import { t } from "../base/language.js";
import { button, el, fill } from "../ui/dom.js";

export class ProblemList {
  /** @type {Map<string, {name: string, go: () => unknown}>} */
  #problems = new Map();

  constructor() {
    this.element = el("div", {
      class: "notice error problem-list",
      role: "group",
      "aria-label": t`What is wrong`,
      hidden: true,
    });
  }

  /** Last added, first listed: a form marks its fields from the end, so that the first gets the focus. @param {string} id of the field @param {string} name @param {() => unknown} go */
  addProblem(id, name, go) {
    this.#problems = new Map([[id, { name, go }], ...this.#problems]);
    this.#render();
  }

  /** @param {string} id */
  removeProblem(id) {
    if (this.#problems.delete(id)) this.#render();
  }

  clearProblems() {
    this.#problems.clear();
    this.#render();
  }

  /** One problem needs no list: its field has the focus. */
  #render() {
    const count = this.#problems.size;
    this.element.hidden = count < 2;
    const links = [...this.#problems.values()].map(({ name, go }) => button(name, go, { class: "quiet small mono" }));
    fill(this.element, el("p", null, t`${count} arguments need attention:`), el("div", { class: "actions" }, ...links));
  }
}
