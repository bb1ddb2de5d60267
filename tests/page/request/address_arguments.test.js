// @ts-check
/** With which arguments an operation asks for an address, and for which it never does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsFor } from "../../../static/request/address_arguments.js";
import { parameter, plan } from "../support/plans.js";

const FILE = plan({ path: "/public/{name}", parameters: [parameter("path", "name")] });

/** @param {import("../../../static/types/types.d.ts").RequestPlan} of @param {string} url */
const found = (of, url, base = of.base_url) => argumentsFor(of, base, new URL(url));

test("what the path and the query of an address say becomes the arguments", () => {
  assert.deepEqual(found(FILE, "https://api.example/v1/public/ph%C3%B6to.png"), { name: "phöto.png" });
  assert.deepEqual(found(plan({}), "https://api.example/v1/things"), {});
  const dotted = plan({ path: "/{name}.{format}", parameters: [parameter("path", "name"), parameter("path", "format", { argument: "format__path" })] });
  assert.deepEqual(found(dotted, "https://api.example/v1/a.b.png"), { name: "a.b", format__path: "png" });
  const three = plan({ path: "/x{a}-{b}-{c}", parameters: ["a", "b", "c"].map((name) => parameter("path", name)) });
  assert.deepEqual(found(three, "https://api.example/v1/x1-2-3-4"), { c: "4", b: "3", a: "1-2" });
  for (const path of ["x1-2", "1-2-3", "x-2-3", "x1--3", "x1-2-"]) assert.equal(found(three, `https://api.example/v1/${path}`), null);
  const query = plan({ parameters: [parameter("query", "q"), parameter("query", "tag")] });
  assert.deepEqual(found(query, "https://api.example/v1/things?tag=a&tag=b+c&q=%26"), { q: "&", tag: ["a", "b c"] });
  assert.deepEqual(found(FILE, "http://localhost:8080/public/a", "http://localhost:8080/"), { name: "a" });
});

test("characters may be encoded where they need not be, and the order of the query is free", () => {
  assert.deepEqual(found(FILE, "https://api.example/v1/public/(%61).png"), { name: "(a).png" });
  const fixed = plan({ path: "/things?kind=a", parameters: [parameter("query", "q")] });
  assert.deepEqual(found(fixed, "https://api.example/v1/things?q=1&kind=a"), { q: "1" });
  assert.equal(found(fixed, "https://api.example/v1/things?q=1&kind=b"), null);
  assert.equal(found(fixed, "https://api.example/v1/things?q=1"), null);
});

test("Finding S-M5: an address is the operation's only if that could build it, for what was accepted is the operation and not its host", () => {
  for (const url of [
    "https://api.example/v1/admin/secret",
    "https://api.example/admin/public/a",
    "https://api.example/v1/public/",
    "https://api.example/v1/public",
    "https://api.example/v1/public/a/b",
    "https://api.example/v1/public/a/../../admin/secret",
    "https://api.example/v1/public/%2e%2e/admin",
    "https://api.example/v1/public/..%2fadmin",
    "https://api.example/v1/public/..%5cadmin",
    "https://api.example/v1/public/%252e%252e%252fadmin",
    "https://api.example/v1/public%2Fa",
    "https://api.example/v1//public/a",
    "https://api.example/v1/public/a?admin=true",
    "https://api.example/v1/public/%ff",
    "https://api.example:8443/v1/public/a",
    "http://api.example/v1/public/a",
    "https://api.example.evil.example/v1/public/a",
    "https://API.example./v1/public/a",
  ])
    assert.equal(found(FILE, url), null, url);
});

test("a slash that is encoded stays within a value, as the operation itself would write it", () => {
  assert.deepEqual(found(FILE, "https://api.example/v1/public/a%2Fb.png"), { name: "a/b.png" });
});

test("what an operation needs beside the address makes it none of its addresses", () => {
  assert.equal(found(plan({ parameters: [parameter("header", "x-key", { required: true })] }), "https://api.example/v1/things"), null);
  assert.equal(found(plan({ parameters: [parameter("query", "q", { required: true })] }), "https://api.example/v1/things"), null);
  const deep = plan({ parameters: [parameter("query", "filter", { style: "deepObject", explode: true })] });
  assert.equal(found(deep, "https://api.example/v1/things?filter[a]=1"), null);
  const joined = plan({ path: "/{a}{b}", parameters: ["a", "b"].map((name) => parameter("path", name)) });
  assert.equal(found(joined, "https://api.example/v1/12"), null, "nobody knows where one ends");
  assert.equal(found(plan({ base_url: "" }), "https://api.example/v1/things"), null);
});
