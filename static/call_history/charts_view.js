// @ts-check
/** Calls, failures and times of the last hours or days as pictures: over time, by server and by tool. */
import { formatNumber, t } from "../base/language.js";
import { el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { formatDuration } from "../ui/outcome_view.js";
import { formatCount } from "../ui/format_count.js";
import { viewAddress } from "../ui/router.js";
import { CallBars } from "./call_bars.js";

/** @typedef {import("../types/api_types.js").CallFigures} CallFigures */
/** @typedef {CallFigures & {name: HTMLElement}} NamedFigures */
/** @typedef {import("../types/api_types.js").CallStatistics} CallStatistics */

/** @type {[hours: number, label: string][]} */
const SPANS = [
  [1, t`The last hour`],
  [24, t`The last 24 hours`],
  [24 * 7, t`The last 7 days`],
  [24 * 30, t`The last 30 days`],
];

/** Milliseconds from a call's end until it is counted: the bridge writes it meanwhile, and others may follow. */
const SETTLE_MS = 1500;
/** Milliseconds between looks without a call of this browser: others may call, too. */
const LOOK_MS = 30_000;

export class ChartsView {
  /** @param {import("../types/view_types.js").Parts} parts */
  constructor({ controls, executor, inventory }) {
    this.api = controls.api;
    this.executor = executor;
    this.inventory = inventory;
    this.span = el(
      "select",
      { onchange: () => void this.#load() },
      ...SPANS.map(([hours, label]) => el("option", { value: String(hours) }, label)),
    );
    this.span.value = "24";
    this.messages = el("div");
    this.place = el("div", { class: "stack" });
    this.asked = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {(() => void) | null} */
    this.unsubscribe = null;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const title = el(
      "div",
      { class: "title-row" },
      el("h1", null, t`Charts of calls`),
      el("div", { class: "filters" }, labelledField(t`Show`, this.span)),
    );
    fill(container, title, this.messages, this.place);
    this.unsubscribe ??= this.executor.onCall((call) => call.duration_ms !== null && this.#loadAfter(SETTLE_MS));
    await this.#load();
  }

  stop() {
    this.asked += 1;
    clearTimeout(this.timer);
    this.unsubscribe?.();
    this.unsubscribe = null;
  }

  /** @param {number} ms */
  #loadAfter(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.#load(), ms);
  }

  async #load() {
    const asked = (this.asked += 1);
    try {
      const found = await this.api.readStatistics(Number(this.span.value));
      if (asked !== this.asked) return;
      fill(this.messages);
      this.#show(found);
    } catch (failure) {
      if (asked === this.asked) fill(this.messages, notice("error", sentenceOf(failure)));
    }
    if (asked === this.asked) this.#loadAfter(LOOK_MS);
  }

  /** @param {CallStatistics} found */
  #show(found) {
    if (found.total.calls === 0)
      return fill(this.place, el("p", { class: "empty" }, t`No call has ended in this time.`));
    const names = new Map(this.inventory.servers.map(({ id, title }) => [id, title]));
    const servers = found.servers.map((each) => ({
      ...each,
      name: el("a", { href: viewAddress("servers", each.server) }, names.get(each.server) ?? each.server),
    }));
    const tools = found.tools.map((each) => ({
      ...each,
      name: el("a", { href: viewAddress("tools", each.tool) }, each.tool),
    }));
    const note = found.is_complete
      ? null
      : el("p", { class: "hint" }, t`Only the newest 20,000 calls of this time are counted.`);
    fill(
      this.place,
      totals(found.total),
      new CallBars(found).element,
      note,
      table(t`By server`, servers),
      table(t`By tool`, tools),
    );
    this.place.append(link(t`All calls`, viewAddress("calls"), { class: "quiet-link" }));
  }
}

/** @param {CallFigures} total */
function totals({ calls, failed, not_made, median_ms, p95_ms }) {
  /** @type {[string, string][]} */
  const facts = [
    [formatCount(calls, "call"), not_made > 0 ? t`${not_made} denied or cancelled` : ""],
    [formatCount(failed, "failure"), calls > 0 ? t`${shareOf(failed, calls)} of all calls` : ""],
    [timeOf(median_ms), t`median time`],
    [timeOf(p95_ms), t`95 of 100 are faster`],
  ];
  return el(
    "ul",
    { class: "totals" },
    ...facts.map(([value, about]) =>
      el("li", { class: "panel" }, el("strong", null, value), el("span", { class: "facts" }, about)),
    ),
  );
}

/** @param {NamedFigures} row @param {number} most calls of a row @param {number} slowest of the rows, in ms */
function figureRow(row, most, slowest) {
  return el(
    "tr",
    null,
    el("th", { scope: "row" }, row.name),
    el("td", null, meter(row.calls / most, "good"), formatNumber(row.calls)),
    el(
      "td",
      null,
      meter(row.failed / row.calls, "bad"),
      row.failed === 0 ? t`none` : `${formatNumber(row.failed)} (${shareOf(row.failed, row.calls)})`,
    ),
    el("td", null, meter((row.median_ms ?? 0) / slowest, "time"), timeOf(row.median_ms)),
    el("td", null, meter((row.p95_ms ?? 0) / slowest, "time"), timeOf(row.p95_ms)),
  );
}

/** @param {string} title @param {NamedFigures[]} rows */
function table(title, rows) {
  const most = Math.max(...rows.map(({ calls }) => calls));
  const slowest = Math.max(1, ...rows.map(({ p95_ms }) => p95_ms ?? 0));
  const head = [t`Name`, t`Calls`, t`Failed`, t`Median`, t`95 of 100`].map((label) =>
    el("th", { scope: "col" }, label),
  );
  const lines = rows.map((row) => figureRow(row, most, slowest));
  const content = el(
    "table",
    { class: "figures", "aria-label": title },
    el("thead", null, el("tr", null, ...head)),
    el("tbody", null, ...lines),
  );
  return el(
    "section",
    { class: "panel" },
    el("h2", null, title),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, content),
  );
}

/** The figure beside it as a length; it says nothing that the figure does not. @param {number} share 0 to 1 @param {string} kind */
function meter(share, kind) {
  const bar = el("span", { class: `meter ${kind}`, "aria-hidden": "true" });
  bar.style.setProperty("--share", String(Math.min(1, share)));
  return bar;
}

/** @param {number} part @param {number} whole */
const shareOf = (part, whole) => formatNumber(part / whole, { style: "percent", maximumFractionDigits: 1 });

/** @param {number | null} ms */
const timeOf = (ms) => (ms === null ? t`no time` : formatDuration(ms));
