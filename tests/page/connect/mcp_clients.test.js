// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { endpointOf, mcpClients } from "../../../static/connect/mcp_clients.js";

const ANSWERS = { baseUrl: "http://127.0.0.1:8765/", webuiUrl: "http://host.docker.internal:8765", key: "tbk_1", server: "" };

test("the tools of all servers have one address, those of one another", () => {
  assert.equal(endpointOf("http://127.0.0.1:8765/", ""), "http://127.0.0.1:8765/mcp");
  assert.equal(endpointOf("http://127.0.0.1:8765", "corner-shop"), "http://127.0.0.1:8765/servers/corner-shop/mcp");
});

test("each client's settings hold the address that it reaches and the key, ready to paste", () => {
  for (const { name, snippets } of mcpClients(ANSWERS))
    for (const { text } of snippets) {
      assert.ok(text.includes("tbk_1"), name);
      const url = name === "Open WebUI" ? "http://host.docker.internal:8765/mcp?names=48" : "http://127.0.0.1:8765/mcp";
      assert.ok(text.includes(url), name);
    }
});

test("without a key a placeholder says what is missing", () => {
  for (const { name, snippets } of mcpClients({ ...ANSWERS, key: "" }))
    for (const { text } of snippets) assert.ok(text.includes("YOUR_KEY"), name);
});

test("every client says its limit and how far its settings were tried", () => {
  for (const { name, limit, tried } of mcpClients(ANSWERS)) {
    assert.match(limit, /\.$/, name);
    assert.match(tried, /[Tt]ried|Read by/, name);
  }
});

test("the clients are those that people have, each with something to paste", () => {
  const clients = mcpClients(ANSWERS);
  assert.deepEqual(
    clients.map(({ name }) => name),
    ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "Gemini CLI", "LibreChat", "n8n", "Anthropic's SDK", "Open WebUI", "OpenAI's Responses API", "Pydantic AI", "LangChain"],
  );
  assert.ok(clients.every(({ snippets }) => snippets.length > 0));
});
