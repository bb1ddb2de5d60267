// @ts-check
/** What decides whether calls run, how many, and for how long. One section for each subject. */
import { el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { breakerNotices } from "../ui/breaker_notice.js";
import { CallSettingForm } from "../ui/call_setting_form.js";
import { AppearancePanel } from "./appearance_panel.js";
import { StoredItemsPanel } from "./stored_items_panel.js";
import { LanguagePanel } from "./language_panel.js";
import { LimitsPanel } from "./limits_panel.js";
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
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const { controls, api, webMcp } = this.parts;
    const calls = [openBreakersPanel(this.parts), approvalPanel(), modelsPanel(), new WebMcpPanel(webMcp), new CallSettingForm(this.parts, {})];
    this.#sections = [...calls, new AppearancePanel(), new LanguagePanel(), new StoredItemsPanel(api), new LimitsPanel(controls)];
    fill(container, el("h1", null, "Settings"), this.messages, ...this.#sections.map(({ element }) => element));
    try {
      await controls.loadControls();
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    }
  }

  stop() {
    for (const section of this.#sections.splice(0)) section.stop();
  }
}

/** Has a view of its own. @returns {Section} */
function approvalPanel() {
  const words = el("p", { class: "hint" }, "Which calls ask first, which are allowed without asking, and how this page notifies you. ");
  words.append(link("Approval", viewAddress("approval")));
  return { element: el("section", { class: "panel" }, el("h2", null, "Approval"), words), stop: () => {} };
}

/** Has a view of its own. @returns {Section} */
function modelsPanel() {
  const words = el("p", { class: "hint" }, "Where the models of the chat come from: addresses, keys, and which models are offered. ");
  words.append(link("Models", viewAddress("models")));
  return { element: el("section", { class: "panel" }, el("h2", null, "Models"), words), stop: () => {} };
}

/** Open circuit breakers of all servers. @param {Parts} parts @returns {Section} */
function openBreakersPanel({ controls }) {
  return breakerNotices(controls, () => controls.breakers);
}
