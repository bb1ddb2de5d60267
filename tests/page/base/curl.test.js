// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { shellWord, toCurl } from "../../../static/base/curl.js";

/** What a POSIX shell makes of a word. @param {string} word */
function shellReads(word) {
  return execFileSync("/bin/sh", ["-c", `SECRET=s3cret; printf %s ${word}`], { encoding: "utf-8" });
}

test("a shell reads any text back as it was", () => {
  for (const text of ["plain", "it's", '$HOME `id` $(id) \\ " !', "two\nlines", "ünï — 漢字", "-starts", "", "''"]) {
    assert.equal(shellReads(shellWord(text)), text);
  }
});

test("a secret becomes a variable of the shell, also in the middle and in a URL", () => {
  assert.equal(shellWord("Bearer [secret]"), `'Bearer '"$SECRET"`);
  assert.equal(shellReads(shellWord("Bearer [secret]")), "Bearer s3cret");
  assert.equal(shellReads(shellWord("https://a/?key=%5Bsecret%5D&b=1")), "https://a/?key=s3cret&b=1");
});

test("a GET is the plain command with its headers", () => {
  const request = {
    method: "GET",
    url: "https://api.example/pets",
    headers: /** @type {[string, string][]} */ ([["accept", "application/json"]]),
    body: null,
  };
  assert.equal(toCurl(request), "curl 'https://api.example/pets' \\\n  --header 'accept: application/json'");
});

test("a body goes literally, and POST needs no option then", () => {
  const curl = toCurl({
    method: "POST",
    url: "http://a/",
    headers: [["content-type", "application/json"]],
    body: '{"a":"it\'s"}',
  });
  assert.equal(
    curl,
    `curl 'http://a/' \\\n  --header 'content-type: application/json' \\\n  --data-raw '{"a":"it'\\''s"}'`,
  );
});

test("other methods, and POST without a body, are named", () => {
  assert.match(toCurl({ method: "DELETE", url: "http://a/", headers: [], body: null }), /--request DELETE$/);
  assert.match(toCurl({ method: "POST", url: "http://a/", headers: [], body: null }), /--request POST$/);
});

test("HEAD is asked for as HEAD, so that curl does not wait for a body", () => {
  assert.match(toCurl({ method: "HEAD", url: "http://a/", headers: [], body: null }), /--head$/);
});

test("a body that is not text is read from a file the user supplies", () => {
  assert.match(
    toCurl({ method: "PUT", url: "http://a/", headers: [], body: null, body_bytes: 9 }),
    /--data-binary @body.bin$/,
  );
});

test("brackets in a URL are not a pattern for curl", () => {
  assert.match(toCurl({ method: "GET", url: "http://a/?page[size]=1", headers: [], body: null }), /--globoff/);
});

test("what curl computes itself is left to it, and an empty header is still sent", () => {
  const curl = toCurl({
    method: "GET",
    url: "http://a/",
    headers: [
      ["content-length", "3"],
      ["x-empty", ""],
    ],
    body: null,
  });
  assert.equal(curl, "curl 'http://a/' \\\n  --header 'x-empty;'");
});

test("the variable may have a telling name", () => {
  const curl = toCurl(
    { method: "GET", url: "http://a/", headers: [["authorization", "Bearer [secret]"]], body: null },
    "MY_KEY",
  );
  assert.ok(curl.endsWith(`'authorization: Bearer '"$MY_KEY"`));
});
