// @ts-check
/** MCP clients: which one, the tools of which server, and what to paste into it. */
import { t } from "../base/language.js";
import { endpointOf, mcpClients } from "./mcp_clients.js";
import { codeBlock, el, factList, fill, labelledField } from "../ui/dom.js";

/** @typedef {Omit<import("./mcp_clients.js").McpAnswers, "server">} Answers */
/** @typedef {import("../types/api_types.js").Server} Server */

export class McpPanel {
  constructor() {
    this.client = el("select", { onchange: () => this.#render() });
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
      el("div", { class: "columns" }, labelledField(t`Client`, this.client), labelledField(t`Tools of`, this.server)),
      this.output,
    );
  }

  /** @param {Answers} answers @param {Server[]} servers */
  showAnswers(answers, servers) {
    this.answers = answers;
    const names = mcpClients({ ...answers, server: "" }).map(({ name }) => name);
    setOptions(
      this.client,
      names.map((name) => [name, name]),
    );
    setOptions(this.server, [
      ["", t`All servers`],
      ...servers.map(({ id, title }) => /** @type {[string, string]} */ ([id, title])),
    ]);
    this.#render();
  }

  #render() {
    if (!this.answers) return;
    const answers = { ...this.answers, server: this.server.value };
    const client = mcpClients(answers).find(({ name }) => name === this.client.value);
    if (!client) return;
    fill(
      this.output,
      factList([["URL", el("code", null, endpointOf(answers.baseUrl, answers.server))]]),
      answers.key ? null : el("p", { class: "hint" }, t`Create a key above, and it stands in what you copy.`),
      ...client.snippets.map(({ label, text }) => codeBlock(text, label)),
      el("p", null, client.limit),
      el("p", { class: "hint" }, client.tried),
    );
  }
}

/** The chosen one stays chosen. @param {HTMLSelectElement} select @param {[string, string][]} options value and label */
function setOptions(select, options) {
  const chosen = select.value;
  fill(select, ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)));
}
