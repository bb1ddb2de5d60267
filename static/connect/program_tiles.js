// @ts-check
/** The first question of Connect: which program. Its answer is kept in the view's address. */
import { t } from "../base/language.js";
import { el } from "../ui/dom.js";
import { PROGRAMS } from "./programs.js";

/** @typedef {import("./programs.js").Program} Program */

/** @param {string} chosenId "" = none yet @param {(program: Program) => void} choose */
export function programTiles(chosenId, choose) {
  const tiles = PROGRAMS.map((program) =>
    el(
      "label",
      { class: "tile" },
      el("input", {
        type: "radio",
        name: "program",
        value: program.id,
        checked: program.id === chosenId,
        onchange: () => choose(program),
      }),
      el("span", { class: "mark", "aria-hidden": "true" }, program.mark),
      el("span", null, program.name),
    ),
  );
  return el(
    "fieldset",
    { class: "radios tiles" },
    el("legend", null, t`What do you want to connect?`),
    el("div", { class: "tile-grid" }, ...tiles),
  );
}
