// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { askWords } from "../../../static/servers/companion_labels.js";

test("Finding P-L6: a button that asks for the login says so, for reading too", () => {
  assert.equal(askWords({ methods: "safe", login: false }), "Ask for reading");
  assert.equal(askWords({ methods: "safe", login: true }), "Ask for reading, as me");
  assert.equal(askWords({ methods: "all", login: false }), "Ask for reading and changing");
  assert.equal(askWords({ methods: "all", login: true }), "Ask for reading and changing, as me");
});
