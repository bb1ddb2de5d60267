// @ts-check
/** The search field above the list of tools, and what else narrows it down. */
import { t } from "../base/language.js";
import { el, fill, labelledField } from "../ui/dom.js";
import { tagsOf } from "../session/tool_filter.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../session/tool_filter.js").Standing} Standing */
/** @typedef {import("../session/tool_filter.js").ToolFilter} ToolFilter */

/** A shorter list is read as quickly as it is filtered. */
const MIN_TOOLS = 20;

/** @type {[Standing, string][]} */
const STANDINGS = [
  ["", t`All tools`],
  ["shown", t`Shown to models`],
  ["not_shown", t`Not shown`],
  ["pinned", t`Pinned`],
  ["not_accepted", t`Not accepted`],
];

/** @type {ToolFilter} */
const NOTHING = { query: "", server: "", tag: "", standing: "" };
/** The last search, while this page is open: choosing a tool does not lose it. */
const last = { ...NOTHING };

export class ToolFilterView {
  /** @param {() => void} onChange @param {string | null} [server] looks for its tools, and for nothing that was looked for before */
  constructor(onChange, server = null) {
    if (server !== null) Object.assign(last, { ...NOTHING, server });
    const change = () => {
      Object.assign(last, this.readFilter());
      onChange();
    };
    this.search = el("input", { type: "search", autocomplete: "off", value: last.query, oninput: change });
    this.server = el("select", { onchange: change });
    this.tag = el("select", { onchange: change });
    this.standing = el("select", { onchange: change });
    offerOptions(this.standing, STANDINGS, last.standing);
    this.fields = {
      server: labelledField(t`Server`, this.server),
      tag: labelledField(t`Tag`, this.tag),
      standing: labelledField(t`Show`, this.standing),
    };
    this.narrow = el("div", { class: "narrow" }, ...Object.values(this.fields));
    this.element = el("div", { class: "filter" }, labelledField(t`Search`, this.search), this.narrow);
  }

  /** @returns {ToolFilter} */
  readFilter() {
    return {
      query: this.search.value,
      server: this.server.value,
      tag: this.tag.value,
      standing: /** @type {Standing} */ (this.standing.value),
    };
  }

  /** Looks for nothing. */
  clearSearch() {
    Object.assign(last, NOTHING);
    this.search.value = "";
    for (const select of [this.server, this.tag, this.standing]) select.value = "";
  }

  /** Offers what there is; a choice that is still there stays. @param {Server[]} servers @param {Tool[]} tools */
  offerChoices(servers, tools) {
    this.narrow.hidden = tools.length < MIN_TOOLS;
    const tags = tagsOf(tools);
    this.fields.server.hidden = servers.length < 2;
    this.fields.tag.hidden = tags.length === 0;
    const titles = servers.map(({ id, title }) => /** @type {[string, string]} */ ([id, title]));
    offerOptions(this.server, [["", t`All servers`], ...titles], last.server);
    offerOptions(
      this.tag,
      [["", t`All tags`], ...tags.map((tag) => /** @type {[string, string]} */ ([tag, tag]))],
      last.tag,
    );
  }
}

/**
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} options value and label
 * @param {string} chosen
 */
function offerOptions(select, options, chosen) {
  const shown = [...select.options].map(({ value, label }) => [value, label]);
  if (JSON.stringify(shown) === JSON.stringify(options)) return;
  fill(select, ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));
}
