// @ts-check
/** Which tools models are shown, in words. */
import assert from "node:assert/strict";
import test from "node:test";
import { overLimitSentence } from "../../../static/session/selection.js";

const CHOICE = /** @type {any} */ ({ servers: [], tags: [], names: [], pinned: [], max_tools: null, defaults: { max_tools: 128 } });

test("whoever accepts more operations than models are shown is told what models get instead, and what to do", () => {
  assert.equal(overLimitSentence(CHOICE, 128), "");
  const sentence = overLimitSentence(CHOICE, 132);
  for (const word of ["132 operations", "128", "find_operations", "run_operation", "Tools"]) assert.ok(sentence.includes(word), sentence);
  assert.equal(overLimitSentence({ ...CHOICE, max_tools: 200 }, 132), "");
});

test("a choice of what is shown is counted by the bridge alone", () => {
  assert.equal(overLimitSentence({ ...CHOICE, servers: ["shop"] }, 1000), "");
});
