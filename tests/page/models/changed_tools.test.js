// @ts-check
/** What a provider's test says of tools that change. */
import assert from "node:assert/strict";
import test from "node:test";
import { describeChange } from "../../../static/models/changed_tools.js";

const change = { kind: /** @type {const} */ ("name"), name: "", before: 0, after: 0, keywords: /** @type {string[]} */ ([]) };

test("Issue 42: each change of a tool is said in words", () => {
  assert.equal(describeChange({ ...change, name: "_2fa" }), "is called _2fa there");
  assert.equal(describeChange({ ...change, kind: "types" }), "several types become forms of anyOf");
  assert.equal(describeChange({ ...change, kind: "keywords", keywords: ["const", "examples"] }), "words say what these keywords said: const, examples");
  assert.equal(describeChange({ ...change, kind: "description", before: 3000, after: 1024 }), "its description is cut from 3,000 to 1,024 characters");
});
