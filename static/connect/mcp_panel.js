// @ts-check
/** MCP clients: the tools of which server, and what to paste or click. */
import { t } from "../base/language.js";
import { endpointOf, mcpClients } from "./mcp_clients.js";
import { codeBlock, el, factList, fill, labelledField, link } from "../ui/dom.js";

/** @typedef {Omit<import("./mcp_clients.js").McpAnswers, "server">} Answers */
/** @typedef {import("../types/api_types.js").Server} Server */

export class McpPanel {
  constructor() {
    /** @type {string[]} */
    this.names = [];
    this.server = el("select", { onchange: () => this.#render() });
    this.output = el("div", { class: "stack" });
    /** @type {Answers | null} */
    this.answers = null;
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`For MCP clients` },
      el("h2", null, t`For MCP clients`),
      el(
        "p",
        { class: "hint" },
        t`The same tools over the Model Context Protocol, with the same key. This browser performs the calls, and asks you as always.`,
      ),
      el("div", { class: "columns" }, labelledField(t`Tools of`, this.server)),
      this.output,
    );
  }

  /** @param {Answers} answers @param {Server[]} servers */
  showAnswers(answers, servers) {
    this.answers = answers;
    setOptions(this.server, [
      ["", t`All servers`],
      ...servers.map(({ id, title }) => /** @type {[string, string]} */ ([id, title])),
    ]);
    this.#render();
  }

  /** @param {string[]} names of clients whose settings are shown; none: nothing is */
  chooseClients(names) {
    this.names = names;
    this.element.hidden = names.length === 0;
    this.#render();
  }

  #render() {
    if (!this.answers) return;
    const answers = { ...this.answers, server: this.server.value };
    const chosen = mcpClients(answers).filter(({ name }) => this.names.includes(name));
    fill(
      this.output,
      factList([["URL", el("code", null, endpointOf(answers.baseUrl, answers.server))]]),
      answers.key ? null : el("p", { class: "hint" }, t`Create a key above, and it stands in what you copy.`),
      ...chosen.flatMap(clientPart),
    );
  }
}

/** @param {import("./mcp_clients.js").McpClient} client */
function clientPart({ install, snippets, limit, tried }) {
  return [
    ...(install
      ? [
          el("p", null, link(install.label, install.href, { class: "button primary" })),
          el(
            "p",
            { class: "hint" },
            t`The link holds the key that you just made. Anyone who has the link has the key.`,
          ),
        ]
      : []),
    ...snippets.map(({ label, text }) => codeBlock(text, label)),
    el("p", null, limit),
    el("p", { class: "hint" }, tried),
  ];
}

/** The chosen one stays chosen. @param {HTMLSelectElement} select @param {[string, string][]} options value and label */
function setOptions(select, options) {
  const chosen = select.value;
  fill(select, ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));
}
