// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { mcpClients } from "../../../static/connect/mcp_clients.js";
import { PROGRAMS } from "../../../static/connect/programs.js";

const ANSWERS = { baseUrl: "http://127.0.0.1:8765", webuiUrl: "http://127.0.0.1:8765", key: "tbk_1+/ä", server: "" };
const HEADERS = { Authorization: "Bearer tbk_1+/ä" };
const URL_OF_ALL = "http://127.0.0.1:8765/mcp";

/** @param {string} name @param {Partial<typeof ANSWERS>} [change] */
const linkOf = (name, change) => mcpClients({ ...ANSWERS, ...change }).find((client) => client.name === name)?.install;

test("Cursor's link names the server and holds its settings as base64 of JSON, as Cursor documents it", () => {
  const link = new URL(String(linkOf("Cursor")?.href));
  assert.equal(link.protocol + "//" + link.host + link.pathname, "cursor://anysphere.cursor-deeplink/mcp/install");
  assert.equal(link.searchParams.get("name"), "tool-bridge");
  const config = Buffer.from(String(link.searchParams.get("config")), "base64").toString("utf8");
  assert.deepEqual(JSON.parse(config), { url: URL_OF_ALL, headers: HEADERS });
});

test("VS Code's link is the JSON that code --add-mcp takes, percent-encoded", () => {
  const [scheme, query] = String(linkOf("VS Code")?.href).split("?");
  assert.equal(scheme, "vscode:mcp/install");
  assert.deepEqual(JSON.parse(decodeURIComponent(query)), { name: "tool-bridge", type: "http", url: URL_OF_ALL, headers: HEADERS });
});

test("without a key there is no link, since it would add a server that refuses", () => {
  assert.equal(linkOf("Cursor", { key: "" }), null);
  assert.equal(linkOf("VS Code", { key: "" }), null);
});

test("only programs with a documented link have one", () => {
  const linked = mcpClients(ANSWERS).filter(({ install }) => install);
  assert.deepEqual(linked.map(({ name }) => name), ["Cursor", "VS Code"]);
});

test("twelve programs are asked about, and every client is shown by one of them", () => {
  assert.equal(PROGRAMS.length, 12);
  assert.equal(new Set(PROGRAMS.map(({ mark }) => mark)).size, 12);
  const shown = PROGRAMS.flatMap(({ clients }) => clients);
  assert.deepEqual(shown.toSorted(), mcpClients(ANSWERS).map(({ name }) => name).toSorted());
});
