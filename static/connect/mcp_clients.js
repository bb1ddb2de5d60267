// @ts-check
/**
 * What to paste into MCP clients. Pure: addresses and a key in; for each client its settings, its limit, and how far they were tried.
 * `docs/how-to/connect-mcp-clients.md` says the same; `tests/clients/test_snippets.py` reads and runs what stands here.
 */
import { t, verbatim } from "../base/language.js";
import { prettyJson } from "../ui/json_display.js";
import { cursorLink, vsCodeLink } from "./install_links.js";
import { anthropic, geminiCli, libreChat, n8n } from "./more_mcp_clients.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/**
 * @typedef {object} McpAnswers
 * @property {string} baseUrl   of the bridge, from this computer
 * @property {string} webuiUrl  of the bridge, from Open WebUI
 * @property {string} key       "" = none created here, or one that Open WebUI alone can use
 * @property {string} server    id of the one whose tools are offered; "" = all
 */
/**
 * @typedef {object} McpClient
 * @property {string} name
 * @property {{label: string, href: string} | null} [install]  one click that adds the bridge; null: no key is known to put into it
 * @property {{label: string, text: string}[]} snippets
 * @property {string} limit  a sentence or two
 * @property {string} tried  how far, as a sentence
 */

const NAME = "tool-bridge";
const KEY_PLACEHOLDER = "YOUR_KEY";
/** Characters that Open WebUI leaves of 64 for a tool's name, beside `tool-bridge-mcp_`. */
const OPEN_WEBUI_ROOM = 48;

/** @param {string} baseUrl @param {string} server @returns {string} where MCP clients connect */
export function endpointOf(baseUrl, server) {
  const base = baseUrl.replace(/\/$/, "");
  return server === "" ? `${base}/mcp` : `${base}/servers/${encodeURIComponent(server)}/mcp`;
}

/** @param {McpAnswers} answers @returns {McpClient[]} */
export function mcpClients({ baseUrl, webuiUrl, key, server }) {
  const [url, bearer] = [endpointOf(baseUrl, server), verbatim(`Bearer ${key || KEY_PLACEHOLDER}`)];
  return [
    claudeCode(url, bearer),
    claudeDesktop(url, bearer),
    { ...cursor(url, bearer), install: key ? cursorLink(NAME, url, bearer) : null },
    { ...vsCode(url, bearer), install: key ? vsCodeLink(NAME, url, bearer) : null },
    codex(url, bearer),
    geminiCli(url, bearer),
    libreChat(url, bearer),
    n8n(url, key || KEY_PLACEHOLDER),
    anthropic(url, key || KEY_PLACEHOLDER),
    openWebui(`${endpointOf(webuiUrl, server)}?names=${OPEN_WEBUI_ROOM}`, key || KEY_PLACEHOLDER),
    openaiResponses(url, bearer),
    pydanticAi(url, bearer),
    langchain(url, bearer),
  ];
}

/** @param {JsonValue} value */
const json = (value) => prettyJson(value);

/** Text of JSON is text of Python and of TOML, too. @param {string} text */
const quoted = (text) => JSON.stringify(text);

/** @param {string} url @param {string} bearer @returns {McpClient} */
function claudeCode(url, bearer) {
  const entry = { type: "http", url, headers: { Authorization: bearer } };
  return {
    name: "Claude Code",
    snippets: [
      {
        label: t`Command for Claude Code`,
        text: verbatim(`claude mcp add --transport http ${NAME} ${url} --header "Authorization: ${bearer}"`),
      },
      { label: t`The same as .mcp.json of a project`, text: json({ mcpServers: { [NAME]: entry } }) },
    ],
    limit: t`A call of which it hears nothing for 300 s ends; the bridge sends progress at least every 15 s.`,
    tried: t`Tried with Claude Code 2.1.330 as far as its own check of the connection.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function claudeDesktop(url, bearer) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote puts the variable of its environment there.
  const args = ["-y", "mcp-remote", url, "--header", verbatim("Authorization:${AUTHORIZATION}")];
  const entry = { command: "npx", args, env: { AUTHORIZATION: bearer } };
  return {
    name: "Claude Desktop",
    snippets: [{ label: "claude_desktop_config.json", text: json({ mcpServers: { [NAME]: entry } }) }],
    limit: t`Its connectors, like those of claude.ai, take no key (only OAuth), so the program mcp-remote on this computer adds it; Node.js is needed. Calls of about 60 s were seen to be given up.`,
    tried: t`The command was tried with mcp-remote 0.15.1; Claude Desktop was not tried.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function cursor(url, bearer) {
  return {
    name: "Cursor",
    snippets: [
      {
        label: "~/.cursor/mcp.json",
        text: json({ mcpServers: { [NAME]: { url, headers: { Authorization: bearer } } } }),
      },
    ],
    limit: t`Its documentation of 2025 gives the model the first 40 tools only: choose one server above, or fewer tools under Tools.`,
    tried: t`Not tried.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function vsCode(url, bearer) {
  const entry = { type: "http", url, headers: { Authorization: bearer } };
  return {
    name: "VS Code",
    snippets: [{ label: t`mcp.json of VS Code`, text: json({ servers: { [NAME]: entry } }) }],
    limit: t`Open it with the command MCP: Open User Configuration; a .vscode/mcp.json would be shared with the project, and the key in it. A request has 128 tools at most.`,
    tried: t`Not tried.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function codex(url, bearer) {
  const lines = [
    `[mcp_servers.${NAME}]`,
    `url = ${quoted(url)}`,
    `http_headers = { "Authorization" = ${quoted(bearer)} }`,
    "tool_timeout_sec = 300",
  ];
  return {
    name: "Codex",
    snippets: [{ label: "~/.codex/config.toml", text: lines.join("\n") }],
    limit: t`Without tool_timeout_sec it gives a call up after 60 s, which is too short for an approval.`,
    tried: t`Read by Codex 0.169.0 (codex mcp list); no call was tried.`,
  };
}

/** @param {string} url @param {string} key @returns {McpClient} */
function openWebui(url, key) {
  const connection = {
    type: "mcp",
    url,
    path: "",
    auth_type: "bearer",
    key,
    config: { enable: true, function_name_filter_list: "", access_grants: [] },
    info: { id: `${NAME}-mcp`, name: "Tool Bridge (MCP)", description: verbatim("Tools that run in my browser") },
  };
  return {
    name: "Open WebUI",
    snippets: [{ label: t`Connection object of the type MCP`, text: json(connection) }],
    limit: t`Administrators only, and everybody whom they let use it acts with this key's browser. As OpenAPI, above, it also serves each user with their own: prefer that.`,
    tried: t`Not tried.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function openaiResponses(url, bearer) {
  const code = [
    verbatim("from openai import OpenAI"),
    "",
    "bridge = {",
    '    "type": "mcp",',
    `    "server_label": ${quoted(NAME)},`,
    `    "server_url": ${quoted(url)},`,
    `    "headers": {"Authorization": ${quoted(bearer)}},`,
    '    "require_approval": "never",',
    "}",
    verbatim('answer = OpenAI().responses.create(model="MODEL", input="Which tools do you have?", tools=[bridge])'),
    "print(answer.output_text)",
  ];
  return {
    name: "OpenAI's Responses API",
    snippets: [{ label: t`The tool mcp of OpenAI's Responses API`, text: code.join("\n") }],
    limit: t`OpenAI's servers call the bridge, so its address must be public and https; the key is sent to OpenAI with each request. The bridge still asks you about unsafe calls.`,
    tried: t`The request was tried with OpenAI's SDK; OpenAI's servers were not.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function pydanticAi(url, bearer) {
  const code = [
    verbatim("from pydantic_ai import Agent"),
    verbatim("from pydantic_ai.mcp import MCPToolset"),
    "",
    `bridge = MCPToolset(${quoted(url)}, headers={"Authorization": ${quoted(bearer)}})`,
    'agent = Agent("openai:MODEL", toolsets=[bridge])',
    verbatim('print(agent.run_sync("Which tools do you have?").output)'),
  ];
  return {
    name: "Pydantic AI",
    snippets: [{ label: t`Python with Pydantic AI`, text: code.join("\n") }],
    limit: t`Two failed calls of a tool in a row end the run; MCPToolset takes max_retries. It asks for no progress and waits in silence.`,
    tried: t`Tried with pydantic-ai 2.68 and its model for tests.`,
  };
}

/** @param {string} url @param {string} bearer @returns {McpClient} */
function langchain(url, bearer) {
  const code = [
    verbatim("import asyncio"),
    "",
    verbatim("from langchain_mcp_adapters.client import MultiServerMCPClient"),
    "",
    "bridge = {",
    '    "transport": "streamable_http",',
    `    "url": ${quoted(url)},`,
    `    "headers": {"Authorization": ${quoted(bearer)}},`,
    "}",
    verbatim(
      `tools = asyncio.run(MultiServerMCPClient({${quoted(NAME)}: bridge}).get_tools())  # for create_agent(model, tools)`,
    ),
    verbatim("print([tool.name for tool in tools])"),
  ];
  return {
    name: "LangChain",
    snippets: [{ label: t`Python with LangChain`, text: code.join("\n") }],
    limit: t`When it gives a call up it says nothing to the bridge, so the call runs on.`,
    tried: t`Tried with langchain-mcp-adapters 0.3.2.`,
  };
}
