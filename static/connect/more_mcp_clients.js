// @ts-check
/** More of `mcp_clients.js`: programs of which no reader was at hand, and Anthropic's SDK. Pure. */
import { t, verbatim } from "../base/language.js";
import { prettyJson } from "../ui/json_display.js";

/** @typedef {import("./mcp_clients.js").McpClient} McpClient */

const NAME = "tool-bridge";
/** Milliseconds for which a program waits for a call that may need an approval. */
const PATIENCE_MS = 300_000;

/** @param {string} url @param {string} bearer @returns {McpClient} */
export function geminiCli(url, bearer) {
  const entry = { httpUrl: url, headers: { Authorization: bearer }, timeout: PATIENCE_MS };
  return {
    name: "Gemini CLI",
    snippets: [{ label: "~/.gemini/settings.json", text: prettyJson({ mcpServers: { [NAME]: entry } }) }],
    limit: t`Start it again afterwards; /mcp then lists the tools. It waits for a call as long as timeout says.`,
    tried: t`Not tried.`,
  };
}

/** Texts of JSON are texts of YAML, too. @param {string} url @param {string} bearer @returns {McpClient} */
export function libreChat(url, bearer) {
  const lines = [
    "mcpServers:",
    `  ${NAME}:`,
    "    type: streamable-http",
    `    url: ${JSON.stringify(url)}`,
    "    headers:",
    verbatim(`      Authorization: ${JSON.stringify(bearer)}`),
    `    timeout: ${PATIENCE_MS}`,
  ];
  return {
    name: "LibreChat",
    snippets: [{ label: "librechat.yaml", text: lines.join("\n") }],
    limit: t`All its users act with this key's browser. In Docker it reaches this computer as host.docker.internal, which the bridge has to accept (--allow-host) and listen for (--host 0.0.0.0).`,
    tried: t`Not tried.`,
  };
}

/** @param {string} url @param {string} key @returns {McpClient} */
export function n8n(url, key) {
  const fields = [
    verbatim(`Endpoint: ${url}`),
    verbatim("Server Transport: HTTP Streamable"),
    verbatim("Authentication: Bearer Auth"),
    verbatim(`Bearer Token: ${key}`),
  ];
  return {
    name: "n8n",
    snippets: [{ label: t`Fields of the node MCP Client Tool`, text: fields.join("\n") }],
    limit: t`The node belongs to an AI Agent; its token is a credential of n8n. In Docker it reaches this computer as host.docker.internal, which the bridge has to accept (--allow-host) and listen for (--host 0.0.0.0).`,
    tried: t`Not tried.`,
  };
}

/** @param {string} url @param {string} key @returns {McpClient} */
export function anthropic(url, key) {
  const bridge = { type: "url", url, name: NAME, authorization_token: key };
  const code = [
    verbatim("from anthropic import Anthropic"),
    "",
    `bridge = ${JSON.stringify(bridge)}`,
    "answer = Anthropic().beta.messages.create(",
    '    model="MODEL",',
    "    max_tokens=1024,",
    verbatim('    messages=[{"role": "user", "content": "Which tools do you have?"}],'),
    "    mcp_servers=[bridge],",
    `    tools=[{"type": "mcp_toolset", "mcp_server_name": ${JSON.stringify(NAME)}}],`,
    '    betas=["mcp-client-2025-11-20"],',
    ")",
    "print(answer.content)",
  ];
  return {
    name: "Anthropic's SDK",
    snippets: [{ label: t`MCP connector of Anthropic's Messages API`, text: code.join("\n") }],
    limit: t`Anthropic's servers call the bridge, so its address must be public and https; the key is sent to Anthropic with each request. The bridge still asks you about unsafe calls.`,
    tried: t`The request was tried with Anthropic's SDK; Anthropic's servers were not.`,
  };
}
