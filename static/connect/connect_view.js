// @ts-check
/** Connect: asks which program is to be connected, and shows what it needs, with a test of the connection. */
import { t } from "../base/language.js";
import { servesModels } from "../base/served_models.js";
import { bridgePart, connectionPart, curlPart, webuiPart } from "./instructions.js";
import { connectSettings, readOrigin, usualOrigin } from "./connect_settings.js";
import { el, fill, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { ConnectionTest } from "./connection_test.js";
import { KeysPanel } from "./keys_panel.js";
import { McpPanel } from "./mcp_panel.js";
import { ModelPanel } from "./model_panel.js";
import { pluginsPart } from "./plugins_part.js";
import { programTiles } from "./program_tiles.js";
import { PROGRAMS, WEBUI } from "./programs.js";

/** @typedef {import("../types/api_types.js").ConnectFacts} ConnectFacts */
/** @typedef {import("./connect_settings.js").Answers} Answers */
/** @typedef {import("./connect_settings.js").Place} Place */
/** @typedef {import("../types/view_types.js").Parts} Parts */

/** @type {[Place, string, string][]} */
const PLACES = [
  ["host", t`On this computer`, t`for example installed with pip`],
  ["docker", t`In Docker on this computer`, t`the container has its own network`],
  ["elsewhere", t`On another computer`, t`a server, or a colleague's machine`],
];
/** @type {[import("./connect_settings.js").Mode, string, string][]} */
const MODES = [
  ["admin", t`As an administrator`, t`Open WebUI's server calls the bridge: the usual way`],
  ["direct", t`As a user`, t`your browser calls the bridge: no need to open the bridge to the network`],
];

export class ConnectView {
  /** @param {Parts} parts @param {string} programId "" = none is chosen */
  constructor(parts, programId) {
    this.parts = parts;
    this.program = PROGRAMS.find(({ id }) => id === programId) ?? null;
    /** @type {Answers} */
    this.answers = {
      ...{ place: "host", mode: "admin", webuiOrigin: usualOrigin("host"), bridgeHost: "" },
      ...{ key: "", isForAll: false },
    };
    this.bridge = el("div", { class: "stack" });
    this.output = el("div", { class: "stack" });
    this.questions = el("div", { class: "stack" });
    this.test = new ConnectionTest(parts.executor);
    this.keys = new KeysPanel(parts.api, ({ made, ...key }) => {
      this.test.useKey(made);
      this.#set(key);
    });
    this.mcp = new McpPanel();
    this.model = new ModelPanel(parts.api);
    this.other = el("div", { class: "stack" });
    this.plugins = pluginsPart(async (path) => (await parts.api.readBlob(path)).text());
    /** @type {ConnectFacts | null} */
    this.facts = null;
    /** @type {(() => void) | undefined} */
    this.unsubscribe = undefined;
    /** @type {import("../types/api_types.js").FullTool | undefined} */
    this.example = undefined;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(
      container,
      el("h1", null, t`Connect`),
      el(
        "p",
        { class: "lead" },
        t`Choose a program, create a key for it, and copy what stands below. The program then uses your tools through this browser.`,
      ),
      programTiles(this.program?.id ?? "", (program) => this.#choose(program)),
      this.questions,
      this.bridge,
      this.keys.element,
      this.output,
      this.mcp.element,
      this.model.element,
      this.plugins,
      this.other,
      this.test.element,
    );
    this.#showProgram();
    // Also after a break, in which the bridge may have been started again with the options that are printed here.
    this.unsubscribe ??= this.parts.inventory.onChange(() => void this.#readFacts().catch(() => undefined));
    try {
      this.#renderQuestions();
      await this.#readFacts();
      if (this.facts?.operator) this.keys.offerForwarding(this.facts);
      await Promise.all([this.keys.loadKeys(), servesModels && this.model.loadModels()]);
    } catch (failure) {
      fill(this.output, notice("error", sentenceOf(failure)));
    }
  }

  stop() {
    this.test.stop();
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  async #readFacts() {
    [this.facts, this.example] = await Promise.all([this.parts.api.readConnectFacts(), this.#exampleTool()]);
    this.#renderOutput();
  }

  /** @param {import("./programs.js").Program} program */
  #choose(program) {
    this.program = program;
    history.replaceState(null, "", viewAddress("connect", program.id)); // without a new view: a key that was made stays
    this.#showProgram();
  }

  /** Only what the chosen program needs; without one, its keys. */
  #showProgram() {
    const { program } = this;
    const isWebui = program?.id === WEBUI;
    for (const element of [this.questions, this.bridge, this.output, this.plugins]) element.hidden = !isWebui;
    this.other.hidden = program?.id !== "curl";
    this.test.element.hidden = program === null;
    this.mcp.chooseClients(program?.clients ?? []);
    this.model.chooseProgram((servesModels && program?.model) || "");
    if (program) this.keys.fitProgram(program);
  }

  #renderQuestions() {
    const origin = this.#addressInput(this.answers.webuiOrigin, "", (text) => {
      const webuiOrigin = readOrigin(text);
      if (webuiOrigin !== null) this.#set({ webuiOrigin });
    });
    const host = this.#addressInput(this.answers.bridgeHost, "192.168.1.20", (bridgeHost) => this.#set({ bridgeHost }));
    this.origin = labelledField(t`Address of Open WebUI in your browser`, origin);
    this.host = labelledField(t`This computer, as seen from there`, host, t`Its name or IP address in the network.`);
    const choosePlace = (/** @type {Place} */ place) => {
      origin.value = usualOrigin(place);
      this.#set({ place, webuiOrigin: origin.value });
    };
    const where = radioGroup(t`Where does Open WebUI run?`, PLACES, this.answers.place, choosePlace);
    const how = radioGroup(t`How do you add the bridge there?`, MODES, this.answers.mode, (mode) =>
      this.#set({ mode }),
    );
    const columns = [where, how, this.host, this.origin];
    fill(this.questions, el("div", { class: "columns" }, ...columns));
  }

  /** @param {string} value @param {string} placeholder @param {(text: string) => void} changed */
  #addressInput(value, placeholder, changed) {
    const input = el("input", {
      type: "text",
      inputmode: "url",
      class: "mono",
      value,
      placeholder,
      spellcheck: "false",
    });
    input.addEventListener("input", () => changed(input.value));
    return input;
  }

  /** A tool for the examples: one that models are given and that works at once, if there is one. */
  async #exampleTool() {
    const { tools } = this.parts.inventory;
    const ready = tools.filter(({ accepted, safe }) => accepted && safe);
    const tool = ready.find(({ advertised }) => advertised) ?? ready[0] ?? tools[0];
    return tool && this.parts.api.readTool(tool.name);
  }

  /** @param {Partial<Answers>} change */
  #set(change) {
    Object.assign(this.answers, change);
    this.#renderOutput();
  }

  #renderOutput() {
    if (!this.facts) return;
    const { place, mode } = this.answers;
    if (this.host) this.host.hidden = place !== "elsewhere" || mode === "direct";
    if (this.origin) this.origin.hidden = mode === "admin";
    const settings = connectSettings(this.answers, this.facts);
    fill(this.bridge, bridgePart(settings));
    fill(this.output, connectionPart(settings, this.answers.key), webuiPart(settings));
    const { key, isForAll } = this.answers;
    const program = {
      baseUrl: this.facts.base_url,
      webuiUrl: connectSettings({ ...this.answers, mode: "admin" }, this.facts).url,
      key: isForAll ? "" : key, // A key for all users is refused where no Open WebUI names one.
    };
    this.mcp.showAnswers(program, this.parts.inventory.servers);
    this.model.showAnswers({ ...program, tool: this.example });
    fill(this.other, curlPart(this.facts.base_url, key, this.example));
  }
}

/**
 * @template {string} T
 * @param {string} legend
 * @param {[T, string, string][]} options value, label, hint
 * @param {T} chosen
 * @param {(value: T) => void} choose
 */
function radioGroup(legend, options, chosen, choose) {
  const radios = options.map(([value, label, hint]) =>
    el(
      "label",
      { class: "radio" },
      el("input", { type: "radio", name: legend, value, checked: value === chosen, onchange: () => choose(value) }),
      el("span", null, label, el("span", { class: "hint" }, hint)),
    ),
  );
  return el("fieldset", { class: "radios" }, el("legend", null, legend), ...radios);
}
