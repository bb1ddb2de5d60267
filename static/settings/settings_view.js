// @ts-check
/** The user's own settings, one section for each subject; then, folded, those of the operator. A list beside them leads to each. */
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { icon } from "../ui/icon.js";
import { viewAddress } from "../ui/router.js";
import { breakerNotices } from "../ui/breaker_notice.js";
import { CallSettingForm } from "../ui/call_setting_form.js";
import { notificationPanel } from "../approvals/notification_panel.js";
import { AccountPanel } from "./account_panel.js";
import { AppearancePanel } from "./appearance_panel.js";
import { StoredItemsPanel } from "./stored_items_panel.js";
import { LanguagePanel } from "./language_panel.js";
import { LimitsPanel } from "./limits_panel.js";
import { SettingsSearch } from "./settings_search.js";
import { WebMcpPanel } from "./web_mcp_panel.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/icon_names.d.ts").IconName} IconName */
/** @typedef {{element: HTMLElement, stop: () => void}} Part */
/** @typedef {{place: string, title: string, icon: IconName, part: Part}} Section  `place`: its name in the address */

export class SettingsView {
  /** @type {Section[]} */
  #sections = [];
  /** @type {HTMLElement[]} */
  #rows = [];

  /** @param {Parts} parts @param {string} place "" for the first */
  constructor(parts, place) {
    this.parts = parts;
    this.place = place;
    this.messages = el("div");
    this.list = el("ul", { class: "side-list" });
    this.search = new SettingsSearch(() => [...this.#rows, ...this.#sections.map(({ part }) => part.element)]);
    /** @type {(() => void)[]} */
    this.subscriptions = [];
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const { controls } = this.parts;
    const breakers = breakerNotices(controls, () => controls.breakers);
    this.#sections = sectionsOf(this.parts);
    this.#rows = WAYS.map(wayRow);
    this.subscriptions = [breakers.stop, controls.onChange(() => this.search.search())];
    const sections = this.#sections.map(({ part }) => part.element);
    const list = el("nav", { "aria-label": t`Settings` }, this.list);
    const side = el("div", { class: "settings-side" }, el("h1", null, t`Settings`), this.search.element, list);
    const rows = el("div", { class: "rows" }, ...this.#rows);
    const all = el("div", { class: "stack" }, this.messages, breakers.element, rows, ...sections);
    fill(container, el("div", { class: "settings" }, side, all));
    this.#showPlace();
    try {
      await controls.loadControls();
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  stop() {
    for (const end of this.subscriptions.splice(0)) end();
    for (const { part } of this.#sections.splice(0)) part.stop();
  }

  /** @param {import("../ui/router.js").Route} route */
  followRoute({ section, parts: [place = ""] }) {
    if (section !== "settings") return false;
    this.place = place;
    this.#showPlace();
    return true;
  }

  /** Marks the section of the address in the list, and leads there. */
  #showPlace() {
    const links = this.#sections.map(({ place, title, icon }) =>
      link(title, viewAddress("settings", place), { icon, "aria-current": place === this.place ? "location" : null }),
    );
    fill(this.list, ...links.map((each) => el("li", null, each)));
    const chosen = this.#sections.find(({ place }) => place === this.place)?.part.element;
    if (!chosen) return;
    if (chosen instanceof HTMLDetailsElement) chosen.open = true;
    chosen.tabIndex = -1;
    chosen.focus({ preventScroll: true });
    chosen.scrollIntoView({ block: "start" });
  }
}

/** @param {Parts} parts @returns {Section[]} */
function sectionsOf(parts) {
  const { controls } = parts;
  /** @type {(place: string, title: string, icon: IconName, part: Part) => Section} */
  const section = (place, title, icon, part) => ({ place, title, icon, part });
  const kept = servesModels ? [section("stored", t`Stored answers`, "database", new StoredItemsPanel(parts.api))] : [];
  return [
    section("account", t`Account`, "user", new AccountPanel(parts)),
    section("appearance", t`Appearance`, "palette", new AppearancePanel()),
    section("language", t`Language`, "languages", new LanguagePanel()),
    section("notices", t`Notifications`, "bell", { element: notificationPanel(), stop: () => {} }),
    section("deadline", t`Deadline of your calls`, "timer", new CallSettingForm(parts, {})),
    ...kept,
    section("agents", t`Agents of this browser`, "globe", new WebMcpPanel(parts.webMcp)),
    section("bridge", t`This bridge`, "gauge", new LimitsPanel(controls)),
  ];
}

/** Subjects that have a view of their own. @typedef {{title: string, hint: string, section: string, icon: IconName}} Way */

/** @type {Way[]} */
const ALL_WAYS = [
  {
    title: t`Approval`,
    hint: t`Which calls ask first, and which are allowed without asking.`,
    section: "approval",
    icon: "shield-check",
  },
  {
    title: t`Models`,
    hint: t`Where the models of the chat come from: addresses, keys, and which models are offered.`,
    section: "models",
    icon: "sparkles",
  },
  {
    title: t`Move to another browser`,
    hint: t`Back up what lives only in this browser, and take it over in another one.`,
    section: "backup",
    icon: "hard-drive-download",
  },
];

const WAYS = ALL_WAYS.filter(({ section }) => servesModels || section !== "models");

/** @param {Way} way */
function wayRow({ title, hint, section, icon: name }) {
  const words = el("span", { class: "row-words" }, el("strong", null, title), el("span", { class: "hint" }, hint));
  return el("a", { href: viewAddress(section), class: "row", icon: name }, words, icon("chevron-right"));
}
