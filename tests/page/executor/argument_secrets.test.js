// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentSecrets } from "../../../static/executor/redaction.js";

test("what names say is secret is found at any depth, longest first", () => {
  const args = {
    user: "ann",
    password: "pass-word",
    body: { "X-Api-Key": ["key-number-one", 1234567], creds: { accessToken: { value: "tok-1" } } },
  };
  assert.deepEqual(argumentSecrets(args), ["key-number-one", "pass-word", "1234567", "tok-1"]);
});

test("counts of tokens, places in lists, and what is too short to hide stay in the log", () => {
  assert.deepEqual(argumentSecrets({ max_tokens: 10000, page_token: "abcdef", password: "abc", token: true, secret: null }), []);
});
