// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { changeOf, groupLimits, rangeOfLimit, wordsOfLimit } from "../../../static/settings/limit_labels.js";

/** @param {Partial<import("../../../static/types/api_types.js").Limit>} [facts] */
const limit = (facts = {}) => ({
  ...{ name: "TOOL_TIMEOUT_SECONDS", variable: "TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS", value: 60, default: 60, minimum: 1, maximum: 600 },
  ...{ meaning: "seconds for one call", source: /** @type {const} */ ("default") },
  ...facts,
});

test("a limit is called what people call it, and a newer bridge's by its constant and the bridge's own words", () => {
  assert.equal(wordsOfLimit(limit()).label, "Deadline of a call");
  assert.equal(rangeOfLimit(limit()), "From 1 s to 600 s.");
  assert.deepEqual(wordsOfLimit(limit({ name: "NEW_LIMIT", meaning: "what is new" })), { label: "NEW_LIMIT", sentence: "What is new." });
});

test("limits stand in their groups, and one that no group knows comes last", () => {
  const groups = groupLimits([limit({ name: "NEW_LIMIT" }), limit(), limit({ name: "BREAKER_MAX_FAILURES" })]);
  assert.deepEqual(
    groups.map(([title, members]) => [title, members.map(({ name }) => name)]),
    [
      ["How long", ["TOOL_TIMEOUT_SECONDS"]],
      ["When something fails again and again", ["BREAKER_MAX_FAILURES"]],
      ["Others", ["NEW_LIMIT"]],
    ],
  );
});

test("a default needs no badge; what was changed says by whom and what it would be", () => {
  assert.equal(changeOf(limit()), null);
  assert.deepEqual(changeOf(limit({ source: "kept" })), { badge: "Changed", words: "Default: 60 s." });
  assert.match(changeOf(limit({ source: "changed" }))?.words ?? "", /The next start restores/);
  assert.equal(changeOf(limit({ source: "given", name: "BREAKER_MAX_FAILURES", default: 5 }))?.words, "By environment or command line. Default: 5.");
});
