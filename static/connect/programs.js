// @ts-check
/** The programs that Connect asks about: what each is shown of. */
import { t, verbatim } from "../base/language.js";

/** @typedef {"" | "python" | "curl" | "webui"} ModelPart  what is shown of the bridge as a model; "" = nothing */
/**
 * @typedef {object} Program
 * @property {string} id
 * @property {string} mark      one or two letters instead of a logo
 * @property {string} name
 * @property {string[]} clients names of `mcpClients` whose settings are shown
 * @property {ModelPart} model
 */

/** One that is shown as the MCP client of its name alone. @param {string} id @param {string} mark @param {string} name @returns {Program} */
const client = (id, mark, name) => ({ id, mark, name, clients: [name], model: "" });

/** Id of the one that asks two more questions, and may act for all its users. */
export const WEBUI = "open-webui";

/** @type {Program[]} */
export const PROGRAMS = [
  { ...client(WEBUI, verbatim("OW"), verbatim("Open WebUI")), model: "webui" },
  client("claude-code", verbatim("CC"), verbatim("Claude Code")),
  client("claude-desktop", verbatim("CD"), verbatim("Claude Desktop")),
  client("cursor", verbatim("Cu"), verbatim("Cursor")),
  client("vs-code", verbatim("VS"), verbatim("VS Code")),
  client("codex", verbatim("Cx"), verbatim("Codex")),
  client("gemini-cli", verbatim("GC"), verbatim("Gemini CLI")),
  client("librechat", verbatim("LC"), verbatim("LibreChat")),
  client("n8n", verbatim("n8"), verbatim("n8n")),
  {
    ...client("openai", verbatim("OA"), t`OpenAI's SDK`),
    clients: [verbatim("OpenAI's Responses API")],
    model: "python",
  },
  { ...client("anthropic", verbatim("AN"), t`Anthropic's SDK`), clients: [verbatim("Anthropic's SDK")] },
  {
    ...client("curl", verbatim(">_"), t`curl and others`),
    clients: [verbatim("Pydantic AI"), verbatim("LangChain")],
    model: "curl",
  },
];
