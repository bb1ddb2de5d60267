// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseClient } from "../../../static/oauth/client_identity.js";
import { awaitConfirmation, confirmationOf, requestDeviceCode } from "../../../static/oauth/device_login.js";
import { problemOf } from "../../../static/oauth/login_problem.js";
import { loginOffers } from "../../../static/oauth/login_source.js";
import { requestClientToken, revokeLogin } from "../../../static/oauth/token_requests.js";
import { answering, CLIENT, ISSUER, json, login, SERVER } from "../support/oauth_server.js";

const HOME = "http://localhost:8642/";
const PUBLIC = "https://bridge.example/";
const NOBODY = { client_id: "", client_secret: "" };

/** @param {object} change @param {Parameters<typeof chooseClient>[1]} about */
async function choose(change, about) {
  const { send, asked } = answering({ [`${ISSUER}/register`]: () => json({ client_id: "registered" }, 201) });
  const chosen = await chooseClient({ ...SERVER, ...change }, about, send).catch(problemOf);
  return { chosen, asked };
}

test("the client is the user's own, else the public document, else one registered before, else a new one", async () => {
  const all = { client_id_metadata_document_supported: true, registration_endpoint: `${ISSUER}/register` };
  const known = { client_id: "known", client_secret: "k" };
  const given = { client_id: "mine", client_secret: "s" };
  assert.deepEqual((await choose(all, { given, known, pageUrl: PUBLIC })).chosen, given);
  assert.deepEqual((await choose(all, { given: { client_id: "known", client_secret: "" }, known, pageUrl: PUBLIC })).chosen, known);
  assert.deepEqual((await choose(all, { given: NOBODY, known, pageUrl: PUBLIC })).chosen, { client_id: "https://bridge.example/oauth/client.json", client_secret: "" });
  assert.deepEqual((await choose(all, { given: NOBODY, known, pageUrl: HOME })).chosen, known);
  const { chosen, asked } = await choose(all, { given: NOBODY, known: null, pageUrl: HOME });
  assert.deepEqual([chosen, asked.length], [{ client_id: "registered", client_secret: "" }, 1]);
});

test("a page of this machine cannot point to a public document, nor register where nobody may", async () => {
  const { chosen, asked } = await choose({ client_id_metadata_document_supported: true }, { given: NOBODY, known: null, pageUrl: HOME });
  assert.match("message" in chosen ? chosen.message : "", /redirect address http:\/\/localhost:8642\/oauth\/callback, and enter its client id/);
  assert.deepEqual(asked, []);
});

/** @param {Partial<import("../../../static/types/api_types.js").SecurityScheme>} scheme @param {object} [change] */
function serverWith(scheme, change = {}) {
  const about = { scheme: "login", type: "oauth2", flows: [], metadata_url: "", ...scheme };
  const tool = { digest: "d", accepted_digest: null, scopes: { login: ["read"] } };
  const writing = { digest: "e", accepted_digest: "e", scopes: { login: ["write"] } };
  return /** @type {any} */ ({ kind: "openapi", source_url: "https://api.example/docs/openapi.json", base_url: "https://api.example", origins: ["https://api.example"], tools: [tool, writing], security_schemes: [about], ...change });
}

/** @param {string} kind @param {object} addresses */
const flow = (kind, addresses) => /** @type {any} */ ({ kind, authorization_url: "", token_url: "", refresh_url: "", device_url: "", scopes: { read: "Read", write: "Write", admin: "All" }, ...addresses });

test("chosen are the scopes that the accepted operations need; the others are there to tick", () => {
  const code = flow("authorizationCode", { authorization_url: "/authorize", token_url: "../token" });
  const [offer] = loginOffers(serverWith({ flows: [code] }));
  assert.deepEqual(offer.scopes.map(({ name, needed }) => [name, needed]), [["write", true], ["read", false], ["admin", false]]);
  assert.deepEqual([offer.ways.code?.authorization_url, offer.ways.code?.token_url], ["https://api.example/authorize", "https://api.example/token"]);
  const [nothingAccepted] = loginOffers(serverWith({ flows: [code] }, { tools: [{ digest: "d", accepted_digest: null, scopes: { login: ["read"] } }] }));
  assert.deepEqual(nothingAccepted.scopes.filter(({ needed }) => needed).map(({ name }) => name), ["read"]);
});

test("the ways are those that the document names and a page can go", () => {
  const ways = (/** @type {any[]} */ ...flows) => loginOffers(serverWith({ flows })).flatMap((offer) => Object.keys(offer.ways));
  assert.deepEqual(ways(flow("clientCredentials", { token_url: "/t" }), flow("deviceAuthorization", { device_url: "/d", token_url: "/t" })), ["device", "client"]);
  assert.deepEqual(ways(flow("implicit", { authorization_url: "/a" }), flow("password", { token_url: "/t" }), flow("authorizationCode", { token_url: "/t" })), []);
  const [openid] = loginOffers(serverWith({ type: "openIdConnect", metadata_url: `${ISSUER}/.well-known/openid-configuration` }));
  assert.deepEqual(openid.scopes.map(({ name, needed }) => [name, needed]), [["write", true], ["openid", true], ["offline_access", false]]);
  const [mcp] = loginOffers(serverWith({}, { kind: "mcp", base_url: "https://tools.example/mcp", source_url: "https://tools.example/mcp/?team=a" }));
  assert.deepEqual([mcp.scheme, mcp.ways.code?.mcp_url], ["*", "https://tools.example/mcp/?team=a"]);
});

test("Finding S-H1: a login to an MCP server is for where its calls go, whatever its address is said to be", () => {
  for (const source_url of ["https://good.example/mcp", "https://evil.example/other", null, "no address"]) {
    const [mcp] = loginOffers(serverWith({}, { kind: "mcp", base_url: "https://evil.example/mcp", source_url }));
    assert.equal(mcp.ways.code?.mcp_url, "https://evil.example/mcp");
  }
});

test("the device flow asks at the server's pace, slower when it is told to, and ends with the code", async () => {
  const answers = [json({ error: "authorization_pending" }, 400), json({ error: "slow_down" }, 400), json({ access_token: "a", token_type: "bearer" })];
  const server = { ...SERVER, device_authorization_endpoint: `${ISSUER}/device` };
  const code = { device_code: "d", user_code: "U-1", verification_uri: `${ISSUER}/confirm`, expires_in: 60, interval: 2 };
  const { send, asked } = answering({ [`${ISSUER}/device`]: () => json(code), [`${ISSUER}/token`]: () => answers.shift() ?? json({ error: "authorization_pending" }, 400) });
  const about = { server, client: CLIENT, scopes: ["read"], resource: "" };
  let time = 0;
  /** @type {number[]} */
  const waits = [];
  const wait = async (/** @type {number} */ ms) => ((time += ms), void waits.push(ms));
  const given = await requestDeviceCode(about, send);
  assert.equal((await awaitConfirmation(about, given, { send, wait, now: () => time })).access_token, "a");
  assert.deepEqual(waits, [2000, 2000, 7000]);
  assert.equal(asked[1].form.get("device_code"), "d");
  const failure = await awaitConfirmation(about, given, { send, wait, now: () => time }).catch((error) => error);
  assert.match(failure.message, /not confirmed in time/);
});

test("Finding P-L1: a device login names the API in both requests, as RFC 8707 asks, and nothing that is empty", async () => {
  const server = { ...SERVER, device_authorization_endpoint: `${ISSUER}/device` };
  const code = { device_code: "d", user_code: "U-1", verification_uri: `${ISSUER}/confirm`, expires_in: 60, interval: 2 };
  const { send, asked } = answering({ [`${ISSUER}/device`]: () => json(code), [`${ISSUER}/token`]: () => json({ access_token: "a", token_type: "bearer" }) });
  const how = { send, wait: async () => {}, now: () => 0 };
  const named = { server, client: CLIENT, scopes: ["read"], resource: "https://api.example/" };
  await awaitConfirmation(named, await requestDeviceCode(named, send), how);
  assert.deepEqual(asked.map(({ form }) => form.get("resource")), ["https://api.example/", "https://api.example/"]);
  assert.equal(asked[0].form.get("scope"), "read");
  const bare = { server, client: CLIENT, scopes: [], resource: "" };
  await awaitConfirmation(bare, await requestDeviceCode(bare, send), how);
  assert.deepEqual(asked.slice(2).flatMap(({ form }) => [form.has("resource"), form.has("scope")]), [false, false, false, false]);
});

test("a code is confirmed at an http address only", async () => {
  const server = { ...SERVER, device_authorization_endpoint: `${ISSUER}/device` };
  const script = "javascript:alert(1)";
  for (const uris of [{ verification_uri: script }, { verification_uri: "https://good.example@evil.example/" }, { verification_uri: `${ISSUER}/confirm`, verification_uri_complete: script }]) {
    const { send } = answering({ [`${ISSUER}/device`]: () => json({ device_code: "d", user_code: "U", expires_in: 60, ...uris }) });
    const failure = await requestDeviceCode({ server, client: CLIENT, scopes: [], resource: "" }, send).catch((error) => error);
    assert.match(failure.message, /no http address/);
  }
});

test("Finding S-L7: the address that is shown is that to which the link leads, and whoever gets access is named", () => {
  const server = { device_authorization_endpoint: "https://evil.example/device", token_endpoint: "https://evil.example/token" };
  const good = "https://login.good.example/device";
  const confirmed = (/** @type {string} */ verification_uri, /** @type {string | undefined} */ complete) => confirmationOf({ verification_uri, verification_uri_complete: complete }, server);
  assert.deepEqual(confirmed(good, `${good}?user_code=A`), { address: good, href: `${good}?user_code=A`, host: "login.good.example", receivers: ["evil.example"] });
  for (const elsewhere of ["https://evil.example/phish", "http://login.good.example/device", "https://login.good.example:8443/device"]) assert.equal(confirmed(good, elsewhere).href, good);
  assert.equal(confirmed(good, undefined).href, good);
  assert.equal(confirmed("https://login.g\u043e\u043ed.example/\u202e", undefined).address, "https://login.xn--gd-fmca.example/%E2%80%AE");
  const apart = { device_authorization_endpoint: "https://codes.example/", token_endpoint: "https://tokens.example/" };
  assert.deepEqual(confirmationOf({ verification_uri: good }, apart).receivers, ["codes.example", "tokens.example"]);
});

test("a client's secret goes where the server wants it, and nowhere else", async () => {
  const robot = { client_id: "robot", client_secret: "s3cret" };
  for (const [methods, place] of /** @type {[string[] | undefined, string][]} */ ([[undefined, "header"], [["client_secret_post"], "form"], [["client_secret_post", "client_secret_basic"], "header"]])) {
    const { send, asked } = answering({ [`${ISSUER}/token`]: () => json({ access_token: "a", token_type: "bearer" }) });
    await requestClientToken({ server: { ...SERVER, token_endpoint_auth_methods_supported: methods }, client: robot, scopes: ["read"], resource: "" }, send);
    assert.equal(asked[0].form.get("client_secret"), place === "form" ? "s3cret" : null);
    assert.equal(asked[0].headers.authorization ?? null, place === "header" ? `Basic ${btoa("robot:s3cret")}` : null);
    assert.equal(asked[0].form.get("scope"), "read");
  }
});

test("revoking tells the server of both tokens, if it has a place for it", async () => {
  const { send, asked } = answering({ [`${ISSUER}/revoke`]: () => new Response(null, { status: 200 }) });
  assert.equal(await revokeLogin(login(), send), false);
  assert.equal(await revokeLogin(login({ server: { ...SERVER, revocation_endpoint: `${ISSUER}/revoke` } }), send), true);
  assert.deepEqual(asked.map(({ form }) => form.get("token")), ["refresh-1", "access-1"]);
});
