// @ts-check
/** Further filters of the list of calls: who asked, which API, and since when. */
import { t } from "../base/language.js";
import { askerWords } from "../ui/asked_by.js";
import { button, el, fill, labelledField } from "../ui/dom.js";

/** @typedef {import("./call_filter.js").CallFilter} CallFilter */
/** @typedef {[value: string, label: string]} Choice */

/** @type {Choice[]} */
const TIMES = [
  ["", t`Any time`],
  ["1", t`The last hour`],
  ["24", t`The last 24 hours`],
  ["168", t`The last 7 days`],
];

export class FilterBar {
  /** @param {(change: Partial<CallFilter>) => void} changed */
  constructor(changed) {
    const choose = (/** @type {keyof CallFilter} */ name) =>
      el("select", {
        onchange: (/** @type {Event} */ { target }) =>
          changed({ [name]: /** @type {HTMLSelectElement} */ (target).value }),
      });
    this.asker = choose("asker");
    this.server = choose("server");
    this.hours = choose("hours");
    this.clear = button(t`Clear`, () => changed({ text: "", state: "", asker: "", server: "", hours: "" }), {
      class: "quiet small",
      "aria-label": t`Clear all filters`,
    });
    this.element = el(
      "div",
      { class: "filters more-filters", role: "group", "aria-label": t`More filters` },
      labelledField(t`Asked by`, this.asker),
      labelledField(t`API`, this.server),
      labelledField(t`Since`, this.hours),
      this.clear,
    );
  }

  /** @param {CallFilter} filter @param {{askers: string[], servers: Choice[]}} choices */
  show(filter, { askers, servers }) {
    offer(
      this.asker,
      [["", t`Anyone`], ...askers.map((asker) => /** @type {Choice} */ ([asker, askerWords(asker)]))],
      filter.asker,
    );
    offer(this.server, [["", t`All`], ...servers], filter.server);
    offer(this.hours, TIMES, filter.hours);
    this.clear.hidden = Object.values(filter).every((value) => value === "");
  }
}

/** Offers the chosen one, too, where no call has it. @param {HTMLSelectElement} select @param {Choice[]} choices @param {string} chosen */
function offer(select, choices, chosen) {
  const all = choices.some(([value]) => value === chosen)
    ? choices
    : [...choices, /** @type {Choice} */ ([chosen, chosen])];
  const values = [...select.options].map(({ value }) => value);
  if (values.join("\n") !== all.map(([value]) => value).join("\n"))
    fill(select, ...all.map(([value, label]) => el("option", { value }, label)));
  select.value = chosen;
}
