// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { overwriteSecrets, redactFacts, createRedactor } from "../../../static/executor/redaction.js";

const SECRET = 'a/b+c"é<1';

test("every usual writing of a secret is removed", () => {
  const redact = createRedactor([SECRET]);
  const json = 'a/b+c\\"é<1';
  const writings = {
    "RFC 3986": "a%2Fb%2Bc%22%C3%A9%3C1",
    "lower case": "a%2fb%2bc%22%c3%a9%3c1",
    form: "a%2Fb%2Bc%22%C3%A9%3C1",
    "every byte": "%61%2F%62%2B%63%22%C3%A9%3C%31",
    "every byte in lower case": "%61%2f%62%2b%63%22%c3%a9%3c%31",
    JSON: json,
    "JSON by Python": 'a/b+c\\"\\u00e9<1',
    "JSON by PHP": 'a\\/b+c\\"\\u00e9<1',
    "JSON with slashes escaped": 'a\\/b+c\\"é<1',
    "JSON by Go": 'a/b+c\\"é\\u003c1',
    "JSON by .NET": "a/b\\u002Bc\\u0022\\u00E9\\u003C1",
  };
  for (const [kind, writing] of Object.entries(writings)) assert.equal(redact(`x${writing}y`), "x[secret]y", kind);
});

test("a text that was cut within a secret loses the beginning of the secret too", () => {
  const redact = createRedactor(["s3cr3t-token"]);
  assert.equal(redact("xxs3cr3t-toke", true), "xx[secret]");
  assert.equal(redact("xxs3cr3t-toke"), "xxs3cr3t-toke");
  assert.equal(redact("s3cr3t-token s3cr3t-t", true), "[secret] [secret]");
  assert.equal(redact("no harm", true), "no harm");
});

test("facts are redacted in every depth and keep their shape", () => {
  const facts = { said: "s3cret", list: ["a s3cret", 1, null], deep: { yes: true, text: "s3cret!" } };
  assert.deepEqual(redactFacts(facts, createRedactor(["s3cret"])), {
    said: "[secret]",
    list: ["a [secret]", 1, null],
    deep: { yes: true, text: "[secret]!" },
  });
});

test("in a file a secret is overwritten in place, in every writing, and the rest stays", () => {
  const text = "\0 s3c/ret s3c/s3c/ret s3c%2fret s3c\\/ret \u00ff";
  const content = new TextEncoder().encode(text);
  overwriteSecrets(content, ["s3c/ret"]);
  assert.equal(new TextDecoder().decode(content), "\0 ******* s3c/******* ********* ******** \u00ff");
});
