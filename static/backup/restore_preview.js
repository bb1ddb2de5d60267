// @ts-check
/** What a backup would add and replace in this browser, each with a choice; nothing is written here. */
import { counted, t } from "../base/language.js";
import { formatMoment } from "../base/time_format.js";
import { button, el, factList, fill } from "../ui/dom.js";
import { KINDS } from "./contents.js";
import { differenceWords, itemWords, KIND_WORDS } from "./item_labels.js";

/** @typedef {import("../types/backup_types.js").Backup} Backup */
/** @typedef {import("../types/backup_types.js").ItemKind} ItemKind */
/** @typedef {import("../types/backup_types.js").RestorableItem} RestorableItem */
/** @typedef {{take: (chosen: RestorableItem[]) => void, cancel: () => void}} Decisions */

export class RestorePreview {
  /** Those that can be taken, and whether they are. @type {Map<RestorableItem, () => boolean>} */
  #choices = new Map();

  /** @param {Backup} backup @param {RestorableItem[]} found @param {{id: string, title: string}[]} servers @param {Decisions} decisions */
  constructor(backup, found, servers, decisions) {
    this.titles = new Map([
      ...Object.entries(backup.servers),
      ...servers.map(({ id, title }) => /** @type {[string, string]} */ ([id, title])),
    ]);
    this.take = button("", () => decisions.take(this.#chosen()), { class: "primary" });
    const facts = factList([
      [t`Made`, formatMoment(backup.made_at)],
      [t`In a browser of`, backup.user],
      [t`At the bridge`, backup.bridge],
    ]);
    const parts = KINDS.map((kind) =>
      this.#part(
        kind,
        found.filter(({ item }) => item.kind === kind),
      ),
    );
    const actions = el("div", { class: "actions" }, this.take, button(t`Cancel`, decisions.cancel, { class: "quiet" }));
    this.element = el(
      "section",
      { class: "stack", "aria-label": t`What the backup would change`, tabindex: "-1" },
      facts,
      ...parts,
      actions,
    );
    this.element.addEventListener("change", () => this.#count());
    this.#count();
  }

  #chosen() {
    return [...this.#choices].flatMap(([found, isTaken]) => (isTaken() ? [found] : []));
  }

  #count() {
    const { length } = this.#chosen();
    fill(
      this.take,
      length === 0 ? t`Nothing to take over` : counted(length, "Take over {0} item", "Take over {0} items"),
    );
    this.take.disabled = length === 0;
  }

  /** @param {ItemKind} kind @param {RestorableItem[]} found */
  #part(kind, found) {
    if (found.length === 0) return null;
    const same = found.filter(({ standing }) => standing === "same").length;
    const rows = found.filter(({ standing }) => standing !== "same").map((each) => this.#row(each));
    return el(
      "section",
      { "aria-label": KIND_WORDS[kind] },
      el("h3", null, KIND_WORDS[kind]),
      rows.length > 0 ? el("ul", { class: "plain-list" }, ...rows) : null,
      same > 0
        ? el("p", { class: "hint" }, counted(same, "{0} is here already, the same.", "{0} are here already, the same."))
        : null,
    );
  }

  /** @param {RestorableItem} found */
  #row(found) {
    const { item, standing } = found;
    const label = `${this.titles.get(item.server_id) ?? item.server_id}: ${itemWords(item)}`;
    const words = differenceWords(found);
    const hint =
      words === "" ? null : el("p", { class: standing === "unusable" ? "hint warning-text" : "hint" }, words);
    const row = {
      new: () => this.#addition(found, label),
      differs: () => this.#conflict(found, label),
      unusable: () => el("span", null, label),
      same: () => null,
    };
    return el("li", { dataset: { standing } }, row[standing](), hint);
  }

  /** @param {RestorableItem} found @param {string} label */
  #addition(found, label) {
    const box = el("input", { type: "checkbox", checked: true });
    this.#choices.set(found, () => box.checked);
    return el(
      "label",
      { class: "check" },
      box,
      el("span", { class: "wrap" }, label, " ", el("span", { class: "badge good" }, t`new`)),
    );
  }

  /** What is here stays unless the user says otherwise. @param {RestorableItem} found @param {string} label */
  #conflict(found, label) {
    const options = [
      el("option", { value: "mine" }, t`Keep mine`),
      el("option", { value: "backup" }, t`Take the backup's`),
    ];
    const select = el("select", { "aria-label": label }, ...options);
    this.#choices.set(found, () => select.value === "backup");
    return el(
      "div",
      { class: "choice" },
      el("span", { class: "wrap" }, label, " ", el("span", { class: "badge" }, t`differs`)),
      select,
    );
  }
}
