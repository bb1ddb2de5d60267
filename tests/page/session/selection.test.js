// @ts-check
/** Which tools models are shown, in words, and the choice of one server. */
import assert from "node:assert/strict";
import test from "node:test";
import { forecastSentence, listingOf, withListing } from "../../../static/session/selection.js";

const TITLES = new Map([["cloud", "Cloud"], ["shop", "Shop"], ["wiki", "Wiki"]]);
const CHOICE = /** @type {any} */ ({ servers: [], tags: [], names: [], pinned: ["a"], listed: ["shop"], searched: [], max_tools: null });

test("Finding F-1: whoever accepts a large API reads that it will be searched, and that the others stay listed", () => {
  const forecast = { listed: false, giving_way: [], others_listed: 87 };
  const sentence = forecastSentence(forecast, "cloud", 340, TITLES);
  for (const word of ["Cloud (340) will be searched", "find_operations", "Your other 87 tools stay listed."]) assert.ok(sentence.includes(word), sentence);
  assert.equal(forecastSentence({ ...forecast, listed: true }, "cloud", 34, TITLES), "");
});

test("the servers that give way are named", () => {
  const sentence = forecastSentence({ listed: true, giving_way: ["shop", "gone"], others_listed: 0 }, "cloud", 100, TITLES);
  assert.equal(sentence, "These are listed now, and will be searched: Shop, gone.");
});

test("the choice of one server replaces what was chosen of it, and nothing else", () => {
  assert.equal(listingOf(CHOICE, "shop"), "listed");
  const searched = withListing(CHOICE, "shop", "searched");
  assert.deepEqual([searched.listed, searched.searched, searched.pinned], [[], ["shop"], ["a"]]);
  assert.equal(listingOf(searched, "shop"), "searched");
  assert.deepEqual(withListing(searched, "shop", "").searched, []);
  assert.deepEqual(withListing(CHOICE, "wiki", "listed").listed, ["shop", "wiki"]);
});
