// @ts-check
/** The pure parts of the views: what is found, filtered, parsed and worded. */
import assert from "node:assert/strict";
import test from "node:test";
import { kindOfEntry, matches } from "../../static/call_filter.js";
import { address, readRoute } from "../../static/navigation.js";
import { duration, readable, size } from "../../static/outcome_view.js";
import { readAddress } from "../../static/probe_frames.js";
import { findTools } from "../../static/tools_view.js";

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
  const { section, parts } = readRoute(address("servers", "a/b ?#ü", "review"));
  assert.deepEqual({ section, parts }, { section: "servers", parts: ["a/b ?#ü", "review"] });
  assert.equal(readRoute("").section, "servers");
  assert.equal(readRoute("#/doctor?url=http%3A%2F%2Fa").query.get("url"), "http://a");
});

test("every word of a search must occur, in any field and order", () => {
  const tools = /** @type {any[]} */ ([
    { name: "getPet", method: "GET", path: "/pets/{id}", description: "Show one pet" },
    { name: "addPet", method: "POST", path: "/pets", description: "Add" },
  ]);
  assert.deepEqual(
    findTools(tools, "pets post").map(({ name }) => name),
    ["addPet"],
  );
  assert.equal(findTools(tools, "  ").length, 2);
});

test("an error status of the API counts as failed in the log", () => {
  assert.equal(kindOfEntry(entry()), "good");
  assert.equal(kindOfEntry(entry({ response: { http_status: 404 } })), "bad");
  assert.equal(kindOfEntry(entry({ state: "failed", response: null })), "bad");
  assert.equal(kindOfEntry(entry({ state: "running", response: null })), "running");
});

test("the log is searched by tool, method, address and status", () => {
  assert.ok(matches(entry(), { text: "PETS/7", state: "" }));
  assert.ok(matches(entry(), { text: "200", state: "good" }));
  assert.ok(!matches(entry(), { text: "", state: "bad" }));
  assert.ok(matches(entry({ request: null, response: null }), { text: "getpet", state: "" }));
});

test("times and sizes are short and have a unit", () => {
  assert.deepEqual([0.42, 42.4, 1500, 61_000].map(duration), ["0.4 ms", "42 ms", "1.50 s", "61.0 s"]);
  assert.deepEqual([0, 1023, 1536, 5 * 1024 ** 2].map(size), ["0 B", "1023 B", "1.5 KiB", "5.0 MiB"]);
});

test("only JSON is indented, and what claims to be JSON but is not stays as it came", () => {
  assert.equal(readable('{"a":1}', "application/json"), '{\n  "a": 1\n}');
  assert.equal(readable('{"a":1}', "text/plain"), '{"a":1}');
  assert.equal(readable("{oops", "application/problem+json"), "{oops");
});
