// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { chipText, pathParts } from "../../../static/trying/path_chips.js";

test("a path is told in texts and names of parameters in turn", () => {
  assert.deepEqual(pathParts("/a/{b}/c/{d}"), ["/a/", "b", "/c/", "d", ""]);
  assert.deepEqual(pathParts("/plain"), ["/plain"]);
});

test("a chip says the value that is given, its beginning where it is long, and else the parameter", () => {
  assert.equal(chipText("id", 7n), "7");
  assert.equal(chipText("id", ["a", "b"]), '["a","b"]');
  assert.equal(chipText("id", "x".repeat(50)), `${"x".repeat(40)}…`);
  for (const value of [undefined, null, ""]) assert.equal(chipText("id", value), "{id}");
});
