// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOf } from "../../../static/oauth/login_problem.js";
import { findServer } from "../../../static/oauth/server_discovery.js";
import { answering, ISSUER, json, SERVER } from "../support/oauth_server.js";

const NOTHING = { authorization_url: "", token_url: "", device_url: "", metadata_url: "", mcp_url: "" };
const FLOWS = { ...NOTHING, authorization_url: `${ISSUER}/authorize`, token_url: `${ISSUER}/token` };
const MCP = { ...NOTHING, mcp_url: "https://tools.example/mcp" };
const RFC8414 = `${ISSUER}/.well-known/oauth-authorization-server`;
const OIDC = `${ISSUER}/.well-known/openid-configuration`;
const RFC9728 = "https://tools.example/.well-known/oauth-protected-resource/mcp";

/** @param {Parameters<typeof findServer>[0]} source @param {Parameters<typeof answering>[0]} answers */
async function find(source, answers) {
  const { send, asked } = answering(answers);
  const found = await findServer(source, send).catch(problemOf);
  return { found, words: "message" in found ? found.message : "", urls: asked.map(({ url }) => url) };
}

test("a server is asked at the place of RFC 8414 first, then at OpenID's", async () => {
  const { found, urls } = await find(FLOWS, { [OIDC]: () => json({ ...SERVER, revocation_endpoint: `${ISSUER}/revoke` }) });
  assert.deepEqual(urls, [RFC8414, OIDC]);
  assert.equal("server" in found && found.server.revocation_endpoint, `${ISSUER}/revoke`);
});

test("what a server says of itself is not mixed with other addresses of the document", async () => {
  const elsewhere = { ...SERVER, token_endpoint: `${ISSUER}/v2/token`, revocation_endpoint: `${ISSUER}/revoke` };
  const { found } = await find(FLOWS, { [RFC8414]: () => json(elsewhere) });
  assert.deepEqual("server" in found && found.server, { issuer: ISSUER, is_assumed: true, token_endpoint: `${ISSUER}/token`, authorization_endpoint: `${ISSUER}/authorize` });
});

test("a server that keeps silent about itself is used by the document's addresses", async () => {
  const { found } = await find(FLOWS, {});
  assert.equal("server" in found && found.server.token_endpoint, `${ISSUER}/token`);
});

test("metadata must stand at a place of the issuer that they name", async () => {
  for (const [url, issuer, isGood] of /** @type {[string, string, boolean][]} */ ([
    [OIDC, ISSUER, true],
    [`${ISSUER}/realms/a/.well-known/openid-configuration`, `${ISSUER}/realms/a`, true],
    [`${ISSUER}/.well-known/oauth-authorization-server/realms/a`, `${ISSUER}/realms/a`, true],
    [OIDC, "https://evil.example", false],
    [OIDC, `${ISSUER}/realms/a`, false],
  ])) {
    const { words } = await find({ ...NOTHING, metadata_url: url }, { [url]: () => json({ ...SERVER, issuer }) });
    assert.equal(words === "", isGood, `${url} ${issuer}: ${words}`);
  }
});

test("what a user gets at one server goes to no other, unless that one names it", async () => {
  const stolen = { ...FLOWS, token_url: "https://evil.example/token" };
  assert.match((await find(stolen, {})).words, /log in at https:\/\/login\.example, but what you get there would be sent to https:\/\/evil\.example/);
  const device = { ...NOTHING, device_url: `${ISSUER}/device`, token_url: "https://evil.example/token" };
  assert.match((await find(device, {})).words, /would be sent to https:\/\/evil\.example/);
  const beside = { ...FLOWS, device_url: "https://honest.example/device" };
  assert.match((await find(beside, { [RFC8414]: () => json(SERVER) })).words, /log in at https:\/\/honest\.example/);
  const named = { ...SERVER, authorization_endpoint: `${ISSUER}/v2/authorize`, token_endpoint: "https://tokens.example/v2/token" };
  assert.equal((await find({ ...FLOWS, token_url: "https://tokens.example/token" }, { [RFC8414]: () => json(named) })).words, "");
});

test("metadata that send users to another server's login get nothing of what they bring back", async () => {
  const url = "https://evil.example/.well-known/openid-configuration";
  const evil = { ...SERVER, issuer: "https://evil.example", authorization_endpoint: `${ISSUER}/authorize` };
  const words = async (/** @type {object} */ change) => (await find({ ...NOTHING, metadata_url: url }, { [url]: () => json({ ...evil, ...change }) })).words;
  assert.match(await words({ token_endpoint: "https://evil.example/token" }), /would be sent to https:\/\/evil\.example/);
  assert.match(await words({ revocation_endpoint: "https://evil.example/revoke" }), /would be sent to https:\/\/evil\.example/);
  assert.match(await words({ authorization_endpoint: "https://evil.example/a", token_endpoint: "https://evil.example/t", device_authorization_endpoint: `${ISSUER}/device` }), /log in at https:\/\/login\.example/);
  assert.equal(await words({}), "", "all of it is the other server's");
});

test("tokens are sent over http within this machine and its network only", async () => {
  const near = (/** @type {string} */ host) => ({ ...NOTHING, authorization_url: `http://${host}/a`, token_url: `http://${host}/t` });
  assert.equal((await find(near("127.0.0.1:9000"), {})).words, "");
  assert.equal((await find(near("nas.local"), {})).words, "");
  assert.match((await find(near("login.example"), {})).words, /is not an https address/);
  assert.match((await find({ ...FLOWS, token_url: "https://user@login.example/token" }, {})).words, /is not an https address/);
  const { words } = await find({ ...NOTHING, metadata_url: OIDC }, { [OIDC]: () => json({ ...SERVER, revocation_endpoint: "http://login.example/revoke" }) });
  assert.match(words, /is not an https address/);
});

test("a server that can only do plain PKCE is refused, by whatever way it was found", async () => {
  const plain = { ...SERVER, code_challenge_methods_supported: ["plain"] };
  assert.match((await find(FLOWS, { [RFC8414]: () => json(plain) })).words, /PKCE/);
  assert.match((await find({ ...NOTHING, metadata_url: OIDC }, { [OIDC]: () => json(plain) })).words, /PKCE/);
});

test("an MCP server says which authorization server and scopes are its own (RFC 9728)", async () => {
  const described = { resource: MCP.mcp_url, authorization_servers: [ISSUER], scopes_supported: ["tools"] };
  const { found } = await find(MCP, { [RFC9728]: () => json(described), [RFC8414]: () => json(SERVER) });
  assert.deepEqual("server" in found && [found.server.issuer, found.scopes, found.resource], [ISSUER, ["tools"], MCP.mcp_url]);
});

test("a description at an address of the server's own choice is found by its refusal", async () => {
  const place = "https://tools.example/about-me.json";
  const refuseWith = (/** @type {string} */ named) => () => new Response(null, { status: 401, headers: { "www-authenticate": `Bearer error="invalid_token", resource_metadata="${named}"` } });
  const refuse = refuseWith(place);
  /** @param {string} resource */
  const described = (resource) => () => json({ resource, authorization_servers: [ISSUER] });
  const { found, urls } = await find(MCP, { [MCP.mcp_url]: refuse, [place]: described(MCP.mcp_url), [RFC8414]: () => json(SERVER) });
  assert.equal("server" in found && found.server.issuer, ISSUER);
  assert.deepEqual(urls, [MCP.mcp_url, place, RFC8414]);
  const other = await find(MCP, { [MCP.mcp_url]: refuse, [place]: described("https://other.example/mcp"), [RFC8414]: () => json(SERVER) });
  assert.deepEqual([other.words === "", other.urls], [false, [MCP.mcp_url, place]]);
  assert.match((await find(MCP, { [MCP.mcp_url]: refuseWith("http://tools.example/about-me.json") })).words, /is not an https address/);
});

test("what describes another MCP server is not followed, nor one without PKCE", async () => {
  const other = { resource: "https://other.example/mcp", authorization_servers: [ISSUER] };
  const { words, urls } = await find(MCP, { [RFC9728]: () => json(other), [RFC8414]: () => json(SERVER) });
  assert.notEqual(words, "");
  assert.deepEqual(urls, [MCP.mcp_url, RFC9728]);
  const own = { ...other, resource: MCP.mcp_url };
  const { code_challenge_methods_supported: _left_out, ...silent } = SERVER;
  assert.match((await find(MCP, { [RFC9728]: () => json(own), [RFC8414]: () => json(silent) })).words, /which MCP requires/);
});
