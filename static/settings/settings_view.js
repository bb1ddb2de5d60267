// @ts-check
/** What is the user's own, one section for each subject; then, folded, what the operator sets for everybody. One search finds both. */
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { el, fill, link, notice, sentenceOf } from "../ui/dom.js";
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
/** @typedef {{element: HTMLElement, stop: () => void}} Section */

export class SettingsView {
  /** @type {Section[]} */
  #sections = [];

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.messages = el("div");
    this.search = new SettingsSearch(() => this.#sections.map(({ element }) => element));
    /** @type {(() => void)[]} */
    this.subscriptions = [];
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const { controls } = this.parts;
    const breakers = breakerNotices(controls, () => controls.breakers);
    this.#sections = [...ownSections(this.parts), new LimitsPanel(controls)];
    this.subscriptions = [breakers.stop, controls.onChange(() => this.search.search())];
    const title = el("div", { class: "title-row" }, el("h1", null, t`Settings`), this.search.element);
    fill(container, title, this.messages, breakers.element, ...this.#sections.map(({ element }) => element));
    try {
      await controls.loadControls();
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  stop() {
    for (const end of this.subscriptions.splice(0)) end();
    for (const section of this.#sections.splice(0)) section.stop();
  }
}

/** What is the user's own. @param {Parts} parts @returns {Section[]} */
function ownSections(parts) {
  return [
    new AccountPanel(parts),
    approvalPanel(),
    ...(servesModels ? [modelsPanel()] : []),
    backupPanel(),
    { element: notificationPanel(), stop: () => {} },
    new CallSettingForm(parts, {}),
    new AppearancePanel(),
    new LanguagePanel(),
    ...(servesModels ? [new StoredItemsPanel(parts.api)] : []),
    new WebMcpPanel(parts.webMcp),
  ];
}

/** Has a view of its own. @returns {Section} */
function approvalPanel() {
  return linkPanel(t`Approval`, t`Which calls ask first, and which are allowed without asking.`, "approval");
}

/** Has a view of its own. @returns {Section} */
function modelsPanel() {
  return linkPanel(
    t`Models`,
    t`Where the models of the chat come from: addresses, keys, and which models are offered.`,
    "models",
  );
}

/** Has a view of its own. @returns {Section} */
function backupPanel() {
  return linkPanel(
    t`Move to another browser`,
    t`Back up what lives only in this browser, and take it over in another one.`,
    "backup",
  );
}

/** @param {string} title @param {string} sentence @param {string} section @returns {Section} */
function linkPanel(title, sentence, section) {
  const words = el("p", { class: "hint" }, sentence, " ", link(title, viewAddress(section)));
  return { element: el("section", { class: "panel" }, el("h2", null, title), words), stop: () => {} };
}
