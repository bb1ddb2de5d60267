// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRequest } from "../../../static/request.js";
import { createRedactor } from "../../../static/executor/redaction.js";
import { secretTexts } from "../../../static/request/credential_placement.js";
import { parameter, plan } from "../support/plans.js";

/** @typedef {import("../../../static/types/types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("../../../static/types/types.d.ts").SecurityRequirement} SecurityRequirement */

const KEY = { scheme: "key", type: "apiKey", in: "header", name: "X-Key" };
const QUERY = { scheme: "query", type: "apiKey", in: "query", name: "api key" };
const BASIC = { scheme: "basic", type: "http", http_scheme: "Basic" };
const OAUTH = { scheme: "oauth", type: "oauth2" };

/** @param {SecurityRequirement[][]} security @param {CredentialSet} credentials */
const built = (security, credentials) => buildRequest(plan({ security }), {}, { credentials });

test("the first alternative with all its secrets is used, and anonymous only when nothing is saved", () => {
  const security = [[], [KEY, QUERY], [BASIC]];
  const basic = { username: "käthe", password: "p:w" };
  assert.deepEqual(built(security, { key: { value: "k" }, basic }).headers, [["authorization", "Basic a8OkdGhlOnA6dw=="]]);
  const both = built(security, { key: { value: "k" }, query: { value: "q&1" }, basic });
  assert.deepEqual(both.headers, [["x-key", "k"]]);
  assert.equal(both.url, "https://api.example/v1/things?api%20key=q%261");
  assert.deepEqual(built(security, {}).headers, []);
});

test("of schemes needed together in one place one is enough, and the first that is saved is sent", () => {
  const other = { scheme: "other", type: "openIdConnect" };
  const token = { scheme: "token", type: "apiKey", in: "header", name: "AUTHORIZATION" };
  const security = [[OAUTH, KEY, other, token]];
  const key = { value: "k" };
  /** @param {CredentialSet} credentials */
  const sent = (credentials) => built(security, credentials).headers;
  assert.deepEqual(sent({ key, other: { value: "o" } }), [["x-key", "k"], ["authorization", "Bearer o"]]);
  assert.deepEqual(sent({ key, token: { value: "t" } }), [["x-key", "k"], ["authorization", "t"]]);
  assert.deepEqual(sent({ token: { value: "t" }, key, oauth: { value: "a" } }), [["authorization", "Bearer a"], ["x-key", "k"]]);
  assert.deepEqual(sent({ oauth: { value: "a" } }), [], "the other place is empty");
});

test("two query parameters or cookies of different names are two places", () => {
  const second = { ...QUERY, scheme: "second", name: "pin" };
  assert.equal(built([[QUERY, second]], { query: { value: "q" } }).url, "https://api.example/v1/things");
  const cookies = ["a", "b"].map((scheme) => ({ scheme, type: "apiKey", in: "cookie", name: "sid" }));
  assert.equal(built([cookies], { a: { value: "1" } }).unsendable.length, 0);
});

test("OAuth and OpenID tokens go as bearer, pasted with or without the word", () => {
  for (const value of ["token", "Bearer token", "bearer  token "])
    assert.deepEqual(built([[OAUTH]], { oauth: { value } }).headers, [["authorization", "Bearer token"]]);
});

test("other Authorization schemes are written with their name", () => {
  const security = [[{ scheme: "t", type: "http", http_scheme: "Token" }]];
  assert.deepEqual(built(security, { t: { value: "abc" } }).headers, [["authorization", "Token abc"]]);
});

test('the "*" credential goes with every request, also where the document asks for nothing', () => {
  /** @type {CredentialSet[]} */
  const credentials = [
    { "*": { type: "http", http_scheme: "bearer", value: "t" } },
    { "*": { type: "http", http_scheme: "basic", username: "a", password: "b" } },
    { "*": { type: "apiKey", in: "header", name: "X-Api-Key", value: "k" } },
  ];
  const headers = credentials.map((all) => built([], all).headers);
  assert.deepEqual(headers, [[["authorization", "Bearer t"]], [["authorization", "Basic YTpi"]], [["x-api-key", "k"]]]);
});

test("a secret wins over a parameter of the same name: the model must not choose the key", () => {
  const asked = plan({ security: [[KEY]], parameters: [parameter("header", "X-Key")] });
  const { headers } = buildRequest(asked, { "X-Key": "mine" }, { credentials: { key: { value: "real" } } });
  assert.deepEqual(headers, [["x-key", "real"]]);
});

test("cookie keys, digest and client certificates are told as unsendable", () => {
  const cookie = { scheme: "c", type: "apiKey", in: "cookie", name: "sid" };
  const digest = { scheme: "d", type: "http", http_scheme: "digest" };
  const mutual = { scheme: "m", type: "mutualTLS" };
  for (const requirement of [cookie, digest, mutual]) {
    const { headers, unsendable } = built([[requirement]], { [requirement.scheme]: { value: "v" } });
    assert.deepEqual([headers, unsendable.length, unsendable[0].in], [[], 1, "security"]);
  }
});

test("secrets are removed however an API echoes them", () => {
  const credentials = { key: { value: 'k"1/+ä' }, basic: { username: "u", password: "pass word" } };
  const redact = createRedactor(secretTexts(credentials));
  const echo = ['k"1/+ä', "k%221%2F%2B%C3%A4", 'k\\"1/+ä', "pass+word", "pass%20word", "dTpwYXNzIHdvcmQ="].join(" | ");
  assert.equal(redact(echo), Array(6).fill("[secret]").join(" | "));
});

test("a user name alone is sent with an empty password, and is the secret then", () => {
  const stripe = { basic: { username: "sk_live_1" } };
  for (const basic of [stripe.basic, { ...stripe.basic, password: "" }])
    assert.deepEqual(built([[BASIC]], { basic }).headers, [["authorization", `Basic ${btoa("sk_live_1:")}`]]);
  assert.deepEqual(secretTexts(stripe), [btoa("sk_live_1:"), "sk_live_1"]);
  assert.deepEqual(secretTexts({ basic: { username: "käthe", password: "pass word" } }), ["a8OkdGhlOnBhc3Mgd29yZA==", "pass word"]);
});

test("a key in a header that a browser keeps for itself is told, not lost", () => {
  for (const name of ["Cookie", "Host", "bad name"]) {
    const { headers, unsendable } = built([[{ scheme: "k", type: "apiKey", in: "header", name }]], { k: { value: "v" } });
    assert.deepEqual([headers, unsendable.map((told) => told.in)], [[], ["security"]]);
  }
});

test("a value of another http scheme goes as it is, whether or not it names the scheme", () => {
  for (const value of ["abc", "Token abc"])
    assert.deepEqual(built([[{ scheme: "t", type: "http", http_scheme: "Token" }]], { t: { value } }).headers, [["authorization", "Token abc"]]);
});

test("a secret that was cut in half at the end of a text is removed too", () => {
  const redact = createRedactor(secretTexts({ key: { value: "sesame-open" } }));
  assert.equal(redact("the key is sesame-o", true), "the key is [secret]");
  assert.equal(redact("the key is sesame-o"), "the key is sesame-o");
  assert.equal(redact("a cut text without one, ses", true), "a cut text without one, ses");
  assert.equal(redact("whole sesame-open", true), "whole [secret]");
});

test("very short values are not searched for: removing them would garble every text", () => {
  assert.deepEqual(secretTexts({ key: { value: "abc" } }), []);
});
