// @ts-check
/** Connect: asks where Open WebUI runs, and prints everything to copy. */
import { codeBlock, el, fill, labelled, notice, sentenceOf } from "./dom.js";
import { connectSettings, KEY_PLACEHOLDER, readOrigin, usualOrigin } from "./connect_settings.js";
import { exampleOf, prettyJson } from "./json_pretty.js";
import { KeysPanel } from "./keys_panel.js";
import { stringifyJson } from "./json_text.js";
import { toCurl } from "./curl.js";

/** @typedef {import("./api_types.js").ConnectFacts} ConnectFacts */
/** @typedef {import("./connect_settings.js").Answers} Answers */
/** @typedef {import("./connect_settings.js").Settings} Settings */
/** @typedef {import("./view_types.js").Parts} Parts */

/** @type {[import("./connect_settings.js").Place, string, string][]} */
const PLACES = [
  ["host", "On this computer", "for example installed with pip"],
  ["docker", "In Docker on this computer", "the container has its own network"],
  ["elsewhere", "On another computer", "a server, or a colleague's machine"],
];
/** @type {[import("./connect_settings.js").Mode, string, string][]} */
const MODES = [
  ["admin", "As an administrator", "Open WebUI's server calls the bridge: the usual way"],
  ["direct", "As a user", "your browser calls the bridge: no need to open the bridge to the network"],
];

export class ConnectView {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {Answers} */
    this.answers = { place: "host", mode: "admin", webuiOrigin: usualOrigin("host"), bridgeHost: "", key: "" };
    this.bridge = el("div", { class: "stack" });
    this.output = el("div", { class: "stack" });
    this.questions = el("div", { class: "stack" });
    this.keys = new KeysPanel(parts.api, (key) => {
      this.answers.key = key;
      this.#renderOutput();
    });
    /** @type {ConnectFacts | null} */
    this.facts = null;
  }

  /** @param {HTMLElement} container */
  async start(container) {
    fill(
      container,
      el("h1", null, "Connect Open WebUI"),
      el("p", { class: "lead" }, "Two answers, and the settings below fit your installation."),
      this.questions,
      this.bridge,
      this.keys.element,
      this.output,
    );
    try {
      this.facts = await this.parts.api.connectFacts();
      this.#renderQuestions();
      this.#renderOutput();
      await this.keys.load();
    } catch (failure) {
      fill(this.output, notice("error", sentenceOf(failure)));
    }
  }

  stop() {}

  #renderQuestions() {
    const origin = el("input", { type: "text", inputmode: "url", class: "mono", value: this.answers.webuiOrigin, oninput: (/** @type {Event} */ event) => this.#setOrigin(event) });
    const host = el("input", {
      type: "text", class: "mono", value: this.answers.bridgeHost, placeholder: "192.168.1.20",
      oninput: (/** @type {Event} */ event) => this.#set({ bridgeHost: /** @type {HTMLInputElement} */ (event.target).value }),
    });
    this.origin = labelled("Address of Open WebUI in your browser", origin);
    this.host = labelled("This computer, as seen from there", host, "Its name or IP address in the network.");
    const choosePlace = (/** @type {string} */ value) => {
      const place = /** @type {import("./connect_settings.js").Place} */ (value);
      origin.value = usualOrigin(place);
      this.#set({ place, webuiOrigin: origin.value });
    };
    const chooseMode = (/** @type {string} */ value) => this.#set({ mode: /** @type {import("./connect_settings.js").Mode} */ (value) });
    fill(
      this.questions,
      el(
        "div",
        { class: "columns" },
        radioGroup("Where does Open WebUI run?", PLACES, this.answers.place, choosePlace),
        radioGroup("How do you add the bridge there?", MODES, this.answers.mode, chooseMode),
      ),
      el("div", { class: "columns" }, this.host, this.origin),
    );
  }

  /** @param {Event} event */
  #setOrigin(event) {
    const origin = readOrigin(/** @type {HTMLInputElement} */ (event.target).value);
    if (origin !== null) this.#set({ webuiOrigin: origin });
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
    fill(
      this.output,
      connectionPart(settings, this.answers.key),
      webuiPart(settings),
      this.#curlPart(),
    );
  }

  /** The same door for any program. */
  #curlPart() {
    const tool = this.parts.inventory.tools.find(({ accepted, safe }) => accepted && safe) ?? this.parts.inventory.tools[0];
    const base = this.facts?.base_url.replace(/\/$/, "") ?? "";
    const key = this.answers.key || `$${KEY_PLACEHOLDER}`;
    const headers = [`--header "authorization: Bearer ${key}"`];
    const list = [`curl '${base}/openapi.json'`, ...headers].join(" \\\n  ");
    const call = tool
      ? toCurl({ method: "POST", url: `${base}/tools/${encodeURIComponent(tool.name)}`, headers: [["authorization", "Bearer [secret]"], ["content-type", "application/json"]], body: stringifyJson(exampleOf(tool.schema)) })
      : "";
    const shown = call.replace('\'authorization: Bearer \'"$SECRET"', `"authorization: Bearer ${key}"`);
    return el(
      "section",
      { class: "panel" },
      el("h2", null, "Any other program"),
      el("p", { class: "hint" }, "The tools are plain HTTP with a bearer key; the document is OpenAPI 3.1."),
      codeBlock(list, "List the tools with curl"),
      tool ? codeBlock(shown, "Call a tool with curl") : null,
    );
  }
}

/**
 * @param {string} legend
 * @param {[string, string, string][]} options value, label, hint
 * @param {string} chosen
 * @param {(value: string) => void} choose
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

/** @param {Settings} settings */
function bridgePart({ command, ready, missing, warnings }) {
  const standing = [...ready.map((text) => el("li", null, text)), ...missing.map((text) => el("li", { class: "missing" }, text))];
  return el(
    "section",
    { class: "panel", dataset: { testid: "connect-bridge" } },
    el("h2", null, "1. The bridge"),
    el("ul", { class: "ticks" }, ...standing),
    command
      ? el("div", null, el("p", null, "Stop the bridge and start it with these options added to yours:"), codeBlock(command, "Command that starts the bridge"))
      : el("p", null, "Nothing to restart."),
    warnings.length > 0 ? el("ul", { class: "plain-list warning-text" }, ...warnings.map((text) => el("li", null, text))) : null,
  );
}

/** @param {Settings} settings @param {string} key */
function connectionPart({ url, connection }, key) {
  const text = prettyJson(/** @type {import("./types.js").JsonValue} */ (connection));
  const file = new Blob([`[${text}]\n`], { type: "application/json" });
  const save = el("a", { class: "button quiet", download: "tool-bridge.json", href: URL.createObjectURL(file) }, "Save as a file to import");
  return el(
    "section",
    { class: "panel" },
    el("h2", null, "3. The connection"),
    el("dl", { class: "facts-list" }, el("dt", null, "URL"), el("dd", null, el("code", null, url)), el("dt", null, "Auth"), el("dd", null, "Bearer, ", key ? el("code", null, key) : "your key; create one above")),
    el("details", { open: true }, el("summary", null, "The same as JSON"), codeBlock(text, "Connection object for Open WebUI"), el("p", null, save)),
  );
}

/** @param {Settings} settings */
function webuiPart({ steps, switches }) {
  return el(
    "section",
    { class: "panel" },
    el("h2", null, "4. In Open WebUI 0.12"),
    el("ol", { class: "steps" }, ...steps.map((step) => el("li", null, step))),
    switches.length > 0 ? el("p", { class: "hint" }, "The same as environment variables of Open WebUI, read at its first start:") : null,
    switches.length > 0 ? codeBlock(switches.join("\n"), "Environment variables of Open WebUI") : null,
  );
}
