// @ts-check
/** The pure parts of the views: what is found, filtered, parsed and worded. */
import assert from "node:assert/strict";
import test from "node:test";
import { kindOfEntry, kindOfStored } from "../../../static/call_history/call_filter.js";
import { viewAddress, readRoute } from "../../../static/ui/router.js";
import { formatDuration } from "../../../static/ui/outcome_view.js";
import { formatSize } from "../../../static/ui/format_count.js";
import { nameFor, formatBody } from "../../../static/ui/response_view.js";
import { costSentence } from "../../../static/tools/offer_preview.js";
import { readAddress } from "../../../static/session/probe_frames.js";
import { choiceOf, offerCounts, reasonSentence, shownSentence, withPin } from "../../../static/session/selection.js";
import { findTools, groupTools, tagsOf } from "../../../static/session/tool_filter.js";

/** @param {object} [changes] @returns {any} */
const entry = (changes = {}) => ({
  tool: "getPet",
  state: "answered",
  request: { method: "GET", url: "https://api.example/pets/7" },
  response: { http_status: 200 },
  ...changes,
});

test("an address without a scheme is tried as http, and other schemes are refused", () => {
  assert.equal(readAddress(" localhost:8000/openapi.json ").href, "http://localhost:8000/openapi.json");
  assert.equal(readAddress("https://api.example").href, "https://api.example/");
  for (const text of ["", "ftp://x", "file:///etc/passwd", "http://", "javascript:alert(1)"]) {
    assert.throws(() => readAddress(text), { code: "bad_address" }, text);
  }
});

test("a password in an address is refused: it would end up in the list of servers", () => {
  assert.throws(() => readAddress("https://ann:secret@api.example/"), /credential/);
});

test("an address of a view survives any name in it", () => {
  const { section, parts } = readRoute(viewAddress("servers", "a/b ?#ü", "review"));
  assert.deepEqual({ section, parts }, { section: "servers", parts: ["a/b ?#ü", "review"] });
  assert.equal(readRoute("").section, "servers");
  assert.equal(readRoute("#/doctor?url=http%3A%2F%2Fa").query.get("url"), "http://a");
});

/** @param {object} fields @returns {any} */
const tool = (fields) => ({
  method: "GET",
  description: "",
  server_id: "pets",
  tags: [],
  accepted: true,
  advertised: true,
  ...fields,
});
const ANY = { query: "", server: "", tag: "", standing: /** @type {const} */ ("") };
const TOOLS = [
  tool({ name: "getPet", path: "/pets/{id}", description: "Show one pet", tags: ["Pets"] }),
  tool({ name: "addPet", method: "POST", path: "/pets", description: "Add", accepted: false }),
  tool({ name: "getShop", path: "/shop", server_id: "shops", advertised: false }),
];

/** @param {object} filter */
const namesOf = (filter) => findTools(TOOLS, { ...ANY, ...filter }, new Set(["addPet"])).map(({ name }) => name);

test("every word of a search must occur, in any field and order", () => {
  assert.deepEqual(namesOf({ query: "pets post" }), ["addPet"]);
  assert.equal(namesOf({ query: "  " }).length, 3);
});

test("the list is narrowed by server, tag and what models are shown", () => {
  assert.deepEqual(namesOf({ server: "shops" }), ["getShop"]);
  assert.deepEqual(namesOf({ tag: "Pets", query: "get" }), ["getPet"]);
  assert.deepEqual(namesOf({ standing: "shown" }), ["getPet", "addPet"]);
  assert.deepEqual(namesOf({ standing: "not_shown" }), ["getShop"]);
  assert.deepEqual(namesOf({ standing: "pinned" }), ["addPet"]);
  assert.deepEqual(namesOf({ standing: "not_accepted" }), ["addPet"]);
  assert.deepEqual(tagsOf(TOOLS), ["Pets"]);
});

/** @param {object} fields @returns {any} */
const selection = (fields) => ({
  ...{ total: 9, selected: 9, shown: 9, over: "", pinned: ["a"], listed: [], searched: [], accepted: 9, accepted_shown: 9, pins_left: 0, max_tools: null, max_tokens: null },
  defaults: { max_tools: 128, max_tokens: null },
  ...fields,
});

test("a sentence says how many tools models are shown and where the others are", () => {
  assert.equal(shownSentence(selection({})), "All 9 tools are shown to models.");
  assert.equal(shownSentence(selection({ total: 0 })), "There are no tools yet.");
  const begin = "2 of 9 tools are shown to models";
  assert.equal(shownSentence(selection({ shown: 2 })), `${begin}; the others are found by find_operations.`);
  assert.equal(shownSentence(selection({ shown: 2, selected: 2 })), `${begin}; the others are left out by your choice.`);
  assert.match(shownSentence(selection({ shown: 2, selected: 5 })), /; 3 are found by find_operations, the others/);
});

test("the reason names the number that holds", () => {
  assert.equal(reasonSentence(selection({})), "");
  assert.match(reasonSentence(selection({ over: "over_limit" })), /9 tools exceed the limit of 128/);
  assert.match(reasonSentence(selection({ over: "over_limit", max_tools: 5 })), /exceed the limit of 5/);
  assert.match(reasonSentence(selection({ over: "over_tokens", max_tokens: 2000 })), /more than 2,000 tokens/);
  assert.match(reasonSentence(selection({ over: "over_limit", pinned: ["a", "b", "c"], pins_left: 2 })), /Of the 3 pinned tools, the last 2 have no room/);
});

test("pinning a tool changes nothing else, and pins it once", () => {
  const choice = choiceOf(selection({ names: ["x*"], servers: [], tags: [] }));
  assert.deepEqual(withPin(choice, "a", true), choice);
  assert.deepEqual(withPin(choice, "b", true), { ...choice, pinned: ["a", "b"] });
  assert.deepEqual(withPin(choice, "a", false), { ...choice, pinned: [] });
});

test("an error status of the API counts as failed in the log", () => {
  assert.equal(kindOfEntry(entry()), "good");
  assert.equal(kindOfEntry(entry({ response: { http_status: 404 } })), "bad");
  assert.equal(kindOfEntry(entry({ state: "failed", response: null })), "bad");
  assert.equal(kindOfEntry(entry({ state: "running", response: null })), "running");
});

test("what its user denied or cancelled is no failure", () => {
  const ended = { state: "failed", response: null };
  for (const code of ["denied", "cancelled"]) {
    assert.equal(kindOfEntry(entry({ ...ended, error: { code } })), "not_made");
    assert.equal(kindOfStored({ state: code, ended_at: 1 }), "not_made");
  }
  assert.equal(kindOfEntry(entry({ ...ended, error: { code: "timeout" } })), "bad");
  assert.equal(kindOfStored({ state: "expired", ended_at: 1 }), "bad");
  assert.equal(kindOfStored({ state: "running", ended_at: null }), "running");
});

test("times and sizes are short and have a unit", () => {
  assert.deepEqual([0.42, 42.4, 1500, 61_000].map(formatDuration), ["0.4 ms", "42 ms", "1.50 s", "61.0 s"]);
  assert.deepEqual([0, 1023, 1536, 5 * 1024 ** 2].map(formatSize), ["0 B", "1023 B", "1.5 KiB", "5.0 MiB"]);
});

test("only JSON is indented, and what claims to be JSON but is not stays as it came", () => {
  assert.equal(formatBody('{"a":1}', "application/json"), '{\n  "a": 1\n}');
  assert.equal(formatBody('{"a":1}', "text/plain"), '{\n  "a": 1\n}');
  assert.equal(formatBody("1", "text/plain"), "1");
  assert.equal(formatBody("{oops", "application/problem+json"), "{oops");
});

test("a saved answer has an ending that its type calls for", () => {
  const types = ["application/problem+json; charset=utf-8", "text/csv", "image/png", "", "application/zip", "application/x-ndjson", "image/svg+xml"];
  const endings = ["json", "csv", "png", "txt", "bin", "ndjson", "svg"];
  assert.deepEqual(types.map(nameFor), endings.map((ending) => `answer.${ending}`));
});

test("tools are listed by server, and within it by their first tag", () => {
  const shape = groupTools(TOOLS).map(({ server_id, groups }) => [server_id, groups.map(({ title, tools }) => [title, tools.map(({ name }) => name)])]);
  assert.deepEqual(shape, [["pets", [["Pets", ["getPet"]], ["", ["addPet"]]]], ["shops", [["", ["getShop"]]]]]);
});

test("each count says what it counts, and those that count nothing are left out", () => {
  const tools = [{ accepted: true, advertised: true }, { accepted: false, advertised: true }, { accepted: true, advertised: false }, { accepted: false, advertised: false }];
  const names = offerCounts(selection({ total: 3, selected: 3, shown: 2, meta_tools: ["read_result"] }), tools).map(([name, words]) => [name, words.split(":")[0]]);
  assert.deepEqual(names, [["Programs receive", "3"], ["Accepted", "2"], ["Not decided", "1"], ["Found by search", "1"], ["Declined", "1"]]);
});

test("what definitions cost is said with the longest", () => {
  assert.equal(costSentence(/** @type {any} */ ({ tokens: 1200, tools: [{ name: "a", tokens: 200 }, { name: "b", tokens: 1000 }] })), "Their definitions take about 1,200 tokens of every request. The longest: b (1,000), a (200).");
});
