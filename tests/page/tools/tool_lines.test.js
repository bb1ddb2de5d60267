// @ts-check
/** What the list of tools shows, line by line. */
import assert from "node:assert/strict";
import test from "node:test";
import { linesOf } from "../../../static/tools/tool_lines.js";

/** @param {string} name @param {string} tag @returns {any} */
const tool = (name, tag) => ({ name, server_id: "shop", tags: [tag] });
const FEW = [tool("addPet", "Pets"), tool("addUser", "Users"), tool("getPet", "Pets")];
const HOW = { isRanked: false, isFiltered: false, chosen: "", folded: new Map() };

/** @param {import("../../../static/tools/tool_lines.js").Line[]} lines */
const read = (lines) =>
  lines.map((line) =>
    line.kind === "tool" ? line.tool.name : line.kind === "server" ? line.id : `${line.title} ${line.count} ${line.isOpen}`,
  );

test("Finding page-F12: what a search has ranked is listed in that order, without groups between", () => {
  assert.deepEqual(read(linesOf(FEW, { ...HOW, isRanked: true, isFiltered: true })), ["addPet", "addUser", "getPet"]);
});

test("otherwise tools stand below their server and their tag, and a folded group hides its own", () => {
  assert.deepEqual(read(linesOf(FEW, HOW)), ["shop", "Pets 2 true", "addPet", "getPet", "Users 1 true", "addUser"]);
  const folded = new Map([[JSON.stringify(["shop", "Pets"]), false]]);
  assert.deepEqual(read(linesOf(FEW, { ...HOW, folded })), ["shop", "Pets 2 false", "Users 1 true", "addUser"]);
});

test("of many tools only the group of the chosen one begins open, until a filter opens all", () => {
  const many = Array.from({ length: 200 }, (_, index) => tool(`do${index}`, `Part ${index % 2}`));
  assert.deepEqual(read(linesOf(many, { ...HOW, chosen: "do3" })).slice(0, 3), ["shop", "Part 0 100 false", "Part 1 100 true"]);
  assert.equal(linesOf(many, { ...HOW, isFiltered: true }).length, 203);
});
