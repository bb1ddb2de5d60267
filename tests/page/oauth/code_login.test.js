// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { beginLogin, finishLogin } from "../../../static/oauth/code_login.js";
import { problemOf } from "../../../static/oauth/login_problem.js";
import { problemSentence } from "../../../static/servers/login_talk.js";
import { answering, CLIENT, ISSUER, json, SERVER } from "../support/oauth_server.js";

const ABOUT = { server: SERVER, client: CLIENT, redirect: "http://localhost:8642/oauth/callback", scopes: ["read"], resource: "https://api.example" };
const TOKENS = () => json({ access_token: "a", token_type: "Bearer", expires_in: 60, refresh_token: "r" });

/** @param {Partial<typeof ABOUT>} [change] @param {Record<string, string | null>} [answer] */
async function logIn(change = {}, answer = {}) {
  const { pending } = await beginLogin({ ...ABOUT, ...change });
  const given = { code: "c0de", state: pending.state, iss: ISSUER, ...answer };
  const parameters = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== null));
  const { send, asked } = answering({ [`${ISSUER}/token`]: TOKENS });
  const result = await finishLogin(pending, parameters, send).catch(problemOf);
  return { pending, asked, result };
}

test("the address to log in at carries everything that binds the answer to this login", async () => {
  const { url, pending } = await beginLogin(ABOUT);
  const sent = Object.fromEntries(new URL(url).searchParams);
  const { code_challenge, ...rest } = sent;
  assert.match(code_challenge, /^[\w-]{43}$/);
  assert.notEqual(code_challenge, pending.verifier);
  assert.deepEqual(rest, { response_type: "code", client_id: "page", redirect_uri: ABOUT.redirect, state: pending.state, code_challenge_method: "S256", scope: "read", resource: "https://api.example" });
  assert.notEqual((await beginLogin(ABOUT)).pending.state, pending.state);
});

test("where a server can, it answers in the fragment, which reaches no server", async () => {
  const { url } = await beginLogin({ ...ABOUT, server: { ...SERVER, response_modes_supported: ["query", "fragment"] } });
  assert.equal(new URL(url).searchParams.get("response_mode"), "fragment");
});

test("the code is redeemed with the verifier, the exact redirect address and the API's name", async () => {
  const { pending, asked, result } = await logIn();
  assert.deepEqual(Object.fromEntries(asked[0].form), { grant_type: "authorization_code", code: "c0de", code_verifier: pending.verifier, redirect_uri: ABOUT.redirect, resource: "https://api.example", client_id: "page" });
  assert.ok("login" in result);
  assert.deepEqual([result.login.access_token, result.login.refresh_token, result.login.scopes], ["a", "r", ["read"]]);
});

/** @type {[string, Record<string, string | null>, RegExp][]} */
const REFUSED = [
  ["of another server", { iss: "https://evil.example" }, /another server.*mixing up/],
  ["of nobody", { iss: null }, /which server it comes from/],
  ["without state", { state: null }, /carries no `state`/],
  ["of another login", { state: "other" }, /belongs to another login/],
  ["that is an error", { code: null, error: "access_denied", error_description: "Not you." }, /refused there.*“Not you\.”/],
];
for (const [name, answer, words] of REFUSED)
  test(`an answer ${name} is refused, and its code goes nowhere`, async () => {
    const { asked, result } = await logIn({}, answer);
    assert.match("message" in result ? result.message : "logged in", words);
    assert.deepEqual(asked, []);
  });

test("Finding house-H16: why a login failed has a code, and what the server says of its own stands beside it", async () => {
  const { result } = await logIn({}, { code: null, error: "access_denied", error_description: "Not you." });
  assert.ok("own" in result);
  assert.deepEqual([result.own.sentence, result.own.quote], ["access_denied", "Not you."]);
  assert.equal(result.message, "The login was refused there, by you or by the server. It says: “Not you.”");
  assert.equal(problemSentence(result), result.message, "in English");
  const { result: odd } = await logIn({}, { code: null, error: "constructor" });
  assert.deepEqual("own" in odd && [odd.own.sentence, odd.own.values, problemSentence(odd)], ["login_refused", { error: "constructor" }, "The server refuses (constructor)."]);
});

test("a server of which only addresses are known may name itself, if it is at home there", async () => {
  const server = /** @type {const} */ ({ issuer: ISSUER, is_assumed: true, authorization_endpoint: `${ISSUER}/a`, token_endpoint: `${ISSUER}/token` });
  assert.ok("login" in (await logIn({ server }, { iss: `${ISSUER}/tenant` })).result);
  assert.ok("login" in (await logIn({ server }, { iss: null })).result);
  const { asked, result } = await logIn({ server }, { iss: "https://evil.example" });
  assert.deepEqual(["message" in result && /another server/.test(result.message), asked.length], [true, 0]);
  const described = { ...server, is_assumed: undefined };
  assert.equal("login" in (await logIn({ server: described }, { iss: `${ISSUER}/tenant` })).result, false);
});

test("a login has the scopes that the server gave, not those that were asked for", async () => {
  const { pending } = await beginLogin({ ...ABOUT, scopes: ["read", "write"] });
  const { send } = answering({ [`${ISSUER}/token`]: () => json({ access_token: "a", token_type: "bearer", scope: "read" }) });
  const { login } = await finishLogin(pending, new URLSearchParams({ code: "c", state: pending.state, iss: ISSUER }), send);
  assert.deepEqual(login.scopes, ["read"]);
});

test("no token, code or secret is part of what a failure says", async () => {
  const { pending } = await beginLogin(ABOUT);
  const secret = "s3cret-t0ken";
  for (const body of [{ access_token: secret }, { access_token: secret, token_type: "mac" }, { token_type: "Bearer", refresh_token: secret }]) {
    const { send } = answering({ [`${ISSUER}/token`]: () => json(body) });
    const problem = problemOf(await finishLogin(pending, new URLSearchParams({ code: secret, state: pending.state, iss: ISSUER }), send).catch((failure) => failure));
    assert.ok(problem.message.length > 20 && !problem.message.includes(secret), problem.message);
  }
});

/** An identity token whose signature nobody looks at: it came from the token endpoint itself. @param {object} claims */
function identityToken(claims) {
  const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: "RS256" })}.${part({ iss: ISSUER, aud: "page", sub: "ada", iat: now, exp: now + 60, ...claims })}.AA`;
}

test("an identity token of another login, client or issuer is refused, and so is none where one was asked for", async () => {
  const { pending } = await beginLogin({ ...ABOUT, scopes: ["openid"] });
  const login = (/** @type {object | null} */ claims) => {
    const tokens = () => json({ access_token: "a", token_type: "Bearer", ...(claims && { id_token: identityToken({ nonce: pending.nonce, ...claims }) }) });
    const { send } = answering({ [`${ISSUER}/token`]: tokens });
    return finishLogin(pending, new URLSearchParams({ code: "c0de", state: pending.state, iss: ISSUER }), send).catch(problemOf);
  };
  assert.ok("login" in (await login({})));
  for (const wrong of [{ nonce: "of another login" }, { nonce: undefined }, { aud: "another client" }, { iss: "https://evil.example" }, { exp: 1 }, null])
    assert.ok(!("login" in (await login(wrong))), JSON.stringify(wrong));
});
