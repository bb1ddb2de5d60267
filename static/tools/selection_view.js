// @ts-check
/** Which tools models are shown: what comes of the choice, and the choice itself. Every change is saved immediately. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { announceSentence, el, factList, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { ChosenList } from "../ui/chosen_list.js";
import { viewAddress } from "../ui/router.js";
import { offerCounts, reasonSentence, shownSentence } from "../session/selection.js";
import { tagsOf } from "../session/tool_filter.js";
import { ListingPanel } from "./listing_panel.js";
import { OfferPreview } from "./offer_preview.js";

/** @typedef {import("../types/api_types.js").Selection} Selection */
/** @typedef {import("../types/api_types.js").SelectionChoice} SelectionChoice */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {"servers" | "tags" | "names" | "pinned"} ListName */
/** @typedef {"max_tools" | "max_tokens"} NumberName */

const LEAD = t`Most models take at most 128 tools, and each one costs tokens in every request. If you have more, models see the pinned ones and the servers that fit, and find and run the others with find_operations and run_operation. An accepted tool that is not shown can still be called by name, also in the chat: to keep an operation from running, do not accept it.`;

/** @type {Record<ListName, {title: string, hint: string, label: string, none: string}>} */
const WORDS = dictionaryOf({
  pinned: {
    title: t`Pinned tools`,
    hint: t`Shown even when there are too many tools to show all.`,
    label: t`Pin a tool`,
    none: t`None.`,
  },
  servers: {
    title: t`Servers`,
    hint: t`Only tools of these servers.`,
    label: t`Add a server by its id`,
    none: t`All servers.`,
  },
  tags: { title: t`Tags`, hint: t`Only tools with one of these tags.`, label: t`Add a tag`, none: t`All tags.` },
  names: {
    title: t`Names`,
    hint: t`Only tools with one of these names. * stands for any characters: list*, *Issue*.`,
    label: t`Add a name or pattern`,
    none: t`All names.`,
  },
});

export class SelectionView {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.messages = el("div", { "aria-live": "polite" });
    this.summary = el("div", { class: "panel", dataset: { testid: "shown" } });
    this.preview = new OfferPreview(parts.api);
    this.listing = new ListingPanel((edit) => void this.#save(edit));
    this.lists = listsOf(parts, (change) => void this.#save(change));
    this.numbers = {
      max_tools: numberField(3, 20_000, (max_tools) => void this.#save({ max_tools })),
      max_tokens: numberField(1000, 10_000_000, (max_tokens) => void this.#save({ max_tokens })),
    };
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  start(container) {
    const { pinned, servers, tags, names } = this.lists;
    fill(
      container,
      el("p", { class: "crumbs" }, link(t`Tools`, viewAddress("tools")), " / ", t`Tools shown to models`),
      el("h1", null, t`Tools shown to models`),
      el("p", { class: "lead" }, LEAD),
      this.summary,
      this.messages,
      this.preview.element,
      el(
        "div",
        { class: "columns" },
        pinned.element,
        this.listing.element,
        this.#boundsPanel(),
        servers.element,
        tags.element,
        names.element,
      ),
    );
    this.unsubscribe ??= this.parts.inventory.onChange(() => this.#render());
    this.#render();
  }

  stop() {
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  #boundsPanel() {
    return el(
      "section",
      { class: "panel" },
      el("h2", null, t`Limits`),
      labelledField(
        t`Maximum number of tools`,
        this.numbers.max_tools,
        t`Including the bridge's own tools. Empty: as set when the bridge was started.`,
      ),
      labelledField(
        t`Maximum number of tokens`,
        this.numbers.max_tokens,
        t`For all definitions, at four characters per token. Empty: as set when the bridge was started.`,
      ),
    );
  }

  #render() {
    const { selection } = this.parts.inventory;
    if (selection === null) {
      fill(this.summary, el("p", { class: "hint" }, t`Loading…`));
      return;
    }
    const reason = reasonSentence(selection);
    const counts = factList(offerCounts(selection, this.parts.inventory.tools));
    fill(
      this.summary,
      el("p", null, el("strong", null, shownSentence(selection))),
      reason ? el("p", { class: "hint" }, reason) : null,
      counts,
      this.preview.cost,
    );
    const titles = new Map(this.parts.inventory.servers.map(({ id, title }) => [id, title]));
    this.listing.showListing(selection, titles);
    void this.preview.showOffer(selection.revision);
    for (const [name, list] of Object.entries(this.lists)) {
      const missing = name === "names" ? [] : selection.missing[/** @type {"servers" | "tags" | "pinned"} */ (name)];
      list.showValues(selection[/** @type {ListName} */ (name)], missing);
    }
    showNumber(this.numbers.max_tools, selection.max_tools, selection.defaults.max_tools);
    showNumber(this.numbers.max_tokens, selection.max_tokens, selection.defaults.max_tokens);
  }

  /** @param {Partial<SelectionChoice> | ((choice: SelectionChoice) => SelectionChoice)} change */
  async #save(change) {
    fill(this.messages);
    try {
      const selection = await this.parts.inventory.changeSelection((choice) =>
        typeof change === "function" ? change(choice) : { ...choice, ...change },
      );
      announceSentence(t`Saved. ${shownSentence(selection)}`);
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }
}

/**
 * @param {Parts} parts
 * @param {(change: Partial<SelectionChoice>) => void} save
 * @returns {Record<ListName, ChosenList>}
 */
function listsOf({ inventory }, save) {
  const plain = (/** @type {string[]} */ values) => values.map((value) => ({ value, label: "" }));
  const list = (
    /** @type {ListName} */ name,
    /** @type {() => import("../ui/chosen_list.js").Suggestion[]} */ suggestions,
  ) => new ChosenList({ ...WORDS[name], suggestions, change: (values) => save({ [name]: values }) });
  return {
    pinned: list("pinned", () => plain(inventory.tools.map(({ name }) => name))),
    servers: list("servers", () => inventory.servers.map(({ id, title }) => ({ value: id, label: title }))),
    tags: list("tags", () => plain(tagsOf(inventory.tools))),
    names: list("names", () => []),
  };
}

/**
 * @param {number} min
 * @param {number} max
 * @param {(value: number | null) => void} change null when the field is empty; not called for what is out of range
 * @returns {HTMLInputElement}
 */
function numberField(min, max, change) {
  const keep = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.reportValidity()) change(field.value === "" ? null : Number(field.value));
  };
  return el("input", { type: "number", min, max, step: 1, inputmode: "numeric", onchange: keep });
}

/** What is being typed stays. @param {HTMLInputElement} field @param {number | null} value @param {number | null} standard */
function showNumber(field, value, standard) {
  field.placeholder = standard === null ? t`no limit` : String(standard);
  if (document.activeElement !== field) field.value = value === null ? "" : String(value);
}
