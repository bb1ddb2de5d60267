// @ts-check
/** The report about a document: groups to open, and a search through all of them when they are long. */
import { t, counted } from "../base/language.js";
import { copyButton, el, fill, freshId, labelledField, link } from "./dom.js";
import { viewAddress } from "./router.js";
import { formatCount } from "./format_count.js";
import { filterGroups, reportGroups, reportJson, summaryOf } from "./document_report.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("./document_report.js").Group} Group */
/** @typedef {import("./document_report.js").Entry} Entry */

/** A report of fewer entries needs no search; of more than `SHOWN_ENTRIES` of a group the first are shown. */
const SEARCHED_ENTRIES = 8;
const SHOWN_ENTRIES = 200;
const OPEN_ENTRIES = 5;

export class ReportView {
  constructor() {
    /** @type {Group[]} */
    this.all = [];
    /** What the user has opened or closed stays so when the server is shown anew. @type {Map<string, boolean>} */
    this.isOpen = new Map();
    this.summary = el("p", { class: "facts" });
    this.search = el("input", { type: "search", autocomplete: "off", oninput: () => this.#fill() });
    this.field = labelledField(t`Search the report`, this.search);
    this.found = el("p", { class: "hint", role: "status" });
    this.groups = el("div", { class: "report-groups" });
    /** @type {ServerDetail | null} */
    this.server = null;
    const id = freshId("report");
    const copy = copyButton(t`Copy as JSON`, () => JSON.stringify(this.server && reportJson(this.server), null, 2), {
      "aria-label": t`Copy as JSON: the report`,
    });
    this.element = el(
      "section",
      { class: "report panel", "aria-labelledby": id, dataset: { testid: "report" } },
      el("div", { class: "title-row" }, el("h2", { id }, t`Report`), copy),
      this.summary,
      this.field,
      this.found,
      this.groups,
    );
  }

  /** @param {ServerDetail} server */
  showServer(server) {
    this.server = server;
    this.all = reportGroups(server);
    fill(this.summary, summaryOf(server));
    this.field.hidden = countOf(this.all) < SEARCHED_ENTRIES;
    this.#fill();
  }

  #fill() {
    const words = this.field.hidden ? "" : this.search.value.trim();
    const groups = filterGroups(this.all, words);
    this.found.textContent = words === "" ? "" : `${formatCount(countOf(groups), "match", "matches")}`;
    fill(this.groups, ...groups.map((group) => this.#groupDetails(group, words !== "")));
  }

  /** @param {Group} group @param {boolean} isSearched */
  #groupDetails(group, isSearched) {
    const isOpen =
      isSearched || (this.isOpen.get(group.id) ?? (group.id === "skipped" && group.entries.length <= OPEN_ENTRIES));
    const content = el("div");
    const details = el(
      "details",
      { open: isOpen, dataset: { group: group.id } },
      el("summary", null, group.title),
      content,
    );
    const show = () => fill(content, ...(details.open ? entriesOf(group) : []));
    details.addEventListener("toggle", () => {
      if (!isSearched) this.isOpen.set(group.id, details.open);
      show();
    });
    show();
    return details;
  }
}

/** @param {Group[]} groups */
const countOf = (groups) => groups.reduce((sum, { entries }) => sum + entries.length, 0);

/** @param {Group} group */
function entriesOf({ about, entries }) {
  const rest = entries.length - SHOWN_ENTRIES;
  return [
    about ? el("p", { class: "hint" }, about) : null,
    el("ul", { class: "report-entries" }, ...entries.slice(0, SHOWN_ENTRIES).map(entryRow)),
    rest > 0
      ? el(
          "p",
          { class: "hint" },
          counted(rest, "{0} entry more; search to see them.", "{0} entries more; search to see them."),
        )
      : null,
  ];
}

/** @param {Entry} entry */
function entryRow({ name, tool, texts }) {
  const head = tool
    ? [link(tool, viewAddress("tools", tool)), " ", el("code", { class: "muted" }, name)]
    : name
      ? [el("code", null, name)]
      : [];
  return el("li", null, ...head, ...texts.map((text) => el("p", { class: "report-text" }, text)));
}
