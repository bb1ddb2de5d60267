// @ts-check
/** Where a page finds its bridge, and under which names the browser has what is the bridge's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bridgePath, ownName, prefixOf } from "../../../static/base/bridge_paths.js";

test("Finding W-47: the path prefix stands in the address of each file of the page, before its last /static/", () => {
  const prefixes = [
    ["https://tools.example/static/0af3/app.js", ""],
    ["https://tools.example/bridge/static/0af3/app.js", "/bridge"],
    ["http://127.0.0.1:8765/team/bridge-2.0/static/0af3/base/bridge_paths.js", "/team/bridge-2.0"],
    ["https://tools.example/apps/static/x/static/0af3/executor_worker.js", "/apps/static/x"],
    ["file:///home/ann/bridge/static/base/bridge_paths.js", ""],
    ["https://cdn.example/request.js", ""],
  ];
  for (const [url = "", prefix] of prefixes) assert.equal(prefixOf(url), prefix, url);
});

test("names that browsers have already do not change without a prefix", () => {
  assert.equal(ownName("tool-bridge"), "tool-bridge");
  assert.equal(bridgePath("/api/me"), "/api/me");
});

test("no two bridges of one origin have a name in common, nor is one the beginning of the other's", () => {
  const names = ["", "/a", "/a/b", "/b"].map((prefix) => ownName("tool-bridge:1", prefix));
  assert.equal(new Set(names).size, names.length);
  for (const one of names) for (const other of names) assert.equal(other.startsWith(one), other === one);
});
