// @ts-check
/** The bridge as a model: which models there are, and what to copy for programs and for Open WebUI. */
import { t } from "../base/language.js";
import { modelSettings } from "./connect_model.js";
import { codeBlock, el, factList, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";

/** @typedef {Omit<import("./connect_model.js").ModelAnswers, "model">} Answers */

export class ModelPanel {
  /** @param {import("../session/bridge_api.js").BridgeApi} api */
  constructor(api) {
    this.api = api;
    this.models = el("select", { onchange: () => this.#render() });
    this.choice = el("div");
    this.output = el("div", { class: "stack" });
    /** @type {Answers | null} */
    this.answers = null;
    /** @type {import("./programs.js").ModelPart} */
    this.wanted = "";
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`As a model` },
      el("h2", null, t`As a model`),
      el(
        "p",
        { class: "hint" },
        t`OpenAI clients can use the bridge as a model. The model behind it gets your tools, this browser performs its calls, and you get the answer.`,
      ),
      this.choice,
      this.output,
    );
  }

  async loadModels() {
    try {
      const ids = (await this.api.listModelFacts()).map(({ id }) => id);
      fill(this.models, ...ids.map((id) => el("option", { value: id }, id)));
      fill(this.choice, ids.length > 0 ? labelledField(t`Model`, this.models) : notice("warning", NONE));
    } catch (failure) {
      fill(this.choice, notice("warning", t`The models cannot be listed: ${sentenceOf(failure)}`));
    }
    this.#render();
  }

  /** @param {Answers} answers */
  showAnswers(answers) {
    this.answers = answers;
    this.#render();
  }

  /** @param {import("./programs.js").ModelPart} wanted "" = nothing is shown */
  chooseProgram(wanted) {
    this.wanted = wanted;
    this.element.hidden = wanted === "";
    this.#render();
  }

  #render() {
    if (!this.answers) return;
    const settings = modelSettings({ ...this.answers, model: this.models.value });
    fill(
      this.output,
      factList([[t`Base URL`, el("code", null, settings.base)]]),
      ...(PARTS.get(this.wanted)?.(settings) ?? []),
    );
  }
}

/** @type {Map<import("./programs.js").ModelPart, (settings: import("./connect_model.js").ModelSettings) => Node[]>} */
const PARTS = new Map([
  ["python", ({ python }) => [codeBlock(python, t`Ask with OpenAI's SDK for Python`)]],
  ["curl", ({ curl }) => [codeBlock(curl, t`Ask with curl`)]],
  [
    "webui",
    ({ steps, webuiBase, headers }) => [
      el("h3", null, t`Open WebUI 0.12, as a model connection`),
      el("ol", { class: "steps" }, ...steps.map((step) => el("li", null, step))),
      codeBlock(webuiBase, t`URL of the model connection`),
      codeBlock(headers, t`Headers of the model connection`),
    ],
  ],
]);

const NONE = t`No provider lists any models now. Replace MODEL with the name of yours.`;
