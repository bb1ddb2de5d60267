// @ts-check
/** The system prompt of a conversation, and which tools it may use. Works the same before it has begun. */
import { counted, t } from "../base/language.js";
import { button, el, fill, freshId, labelledField, methodTag } from "../ui/dom.js";
import { toolKey } from "./beginning.js";
import { ModelParametersForm } from "./model_parameters.js";
import { findTools } from "../session/tool_filter.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../types/chat_types.js").EnabledTool} EnabledTool */
/**
 * @typedef {object} SettingsActions
 * @property {(text: string) => Promise<unknown>} instruct
 * @property {(tools: EnabledTool[], isOn: boolean) => Promise<unknown>} allow
 * @property {(parameters: import("../types/chat_types.js").Parameters) => Promise<unknown>} tune
 */
/**
 * @typedef {object} Offered
 * @property {string} prompt
 * @property {Tool[]} tools  those that could be used
 * @property {Iterable<string>} on  keys of those that may be
 * @property {import("../types/chat_types.js").Parameters} parameters
 * @property {string[]} supported  what the model takes
 */

const SHOWN_TOOLS = 200;

/** @param {Tool} tool @returns {EnabledTool} */
const choiceOf = ({ server_id, name }) => ({ server_id, tool_name: name });

export class ChatSettings {
  /** @type {Tool[]} */
  #tools = [];
  /** @type {Set<string>} */
  #on = new Set();

  /** @param {SettingsActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.prompt = el("textarea", { rows: 4, onchange: () => void actions.instruct(this.prompt.value.trim()) });
    this.parameters = new ModelParametersForm(actions.tune);
    this.search = el("input", {
      type: "search",
      autocomplete: "off",
      "aria-label": t`Search tools`,
      placeholder: t`Search`,
      oninput: () => this.#draw(),
    });
    this.count = el("h2", { id: freshId("tools") });
    this.rows = el("ul", { class: "chat-tools" });
    this.hint = el("p", { class: "hint" });
    const words = t`Instructions that the model gets before every answer.`;
    this.element = el(
      "section",
      { class: "panel chat-settings", "aria-label": t`Conversation settings` },
      labelledField(t`System prompt`, this.prompt, words),
      this.parameters.element,
      this.#toolsPanel(),
    );
  }

  #toolsPanel() {
    const both = [
      button(t`All`, () => this.#allowAll(true), { class: "quiet small" }),
      button(t`None`, () => this.#allowAll(false), { class: "quiet small" }),
    ];
    return el(
      "section",
      { "aria-labelledby": this.count.id },
      el("div", { class: "title-row" }, this.count, el("div", { class: "actions" }, this.search, ...both)),
      this.rows,
      this.hint,
    );
  }

  /** @param {Offered} offered */
  showSettings({ prompt, tools, on, parameters, supported }) {
    this.parameters.showParameters(parameters, supported);
    if (document.activeElement !== this.prompt) this.prompt.value = prompt;
    this.#tools = tools;
    this.#on = new Set(on);
    this.#draw();
  }

  #foundTools() {
    return findTools(this.#tools, { query: this.search.value, server: "", tag: "", standing: "" }, new Set());
  }

  #draw() {
    const found = this.#foundTools();
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.tool : undefined;
    const on = this.#tools.filter((tool) => this.#on.has(toolKey(choiceOf(tool)))).length;
    fill(this.count, t`Tools: ${on} of ${this.#tools.length}`);
    fill(this.rows, ...found.slice(0, SHOWN_TOOLS).map((tool) => this.#toolRow(tool)));
    const rest = found.length - SHOWN_TOOLS;
    fill(
      this.hint,
      this.#tools.length === 0
        ? t`There are no accepted tools.`
        : rest > 0
          ? counted(rest, "{0} more: search to find them.", "{0} more: search to find them.")
          : "",
    );
    if (focused)
      /** @type {HTMLElement | null} */ (this.rows.querySelector(`[data-tool="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {Tool} tool */
  #toolRow(tool) {
    const key = toolKey(choiceOf(tool));
    const change = (/** @type {Event} */ event) =>
      void this.#allow([tool], /** @type {HTMLInputElement} */ (event.target).checked);
    const box = el("input", { type: "checkbox", checked: this.#on.has(key), dataset: { tool: key }, onchange: change });
    const about = el("span", { class: "about clamp-1" }, tool.description.split("\n", 1)[0]);
    return el(
      "li",
      null,
      el("label", null, box, methodTag(tool.method, tool.safe), el("span", { class: "name" }, tool.name), about),
    );
  }

  /** Those that are found. @param {boolean} isOn */
  #allowAll(isOn) {
    void this.#allow(
      this.#foundTools().filter((tool) => this.#on.has(toolKey(choiceOf(tool))) !== isOn),
      isOn,
    );
  }

  /** @param {Tool[]} tools @param {boolean} isOn */
  async #allow(tools, isOn) {
    for (const key of tools.map(choiceOf).map(toolKey)) {
      if (isOn) this.#on.add(key);
      else this.#on.delete(key);
    }
    this.#draw();
    await this.actions.allow(tools.map(choiceOf), isOn);
  }
}
