// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { findOperations, groupOperations, linesOf } from "../../../static/review/operation_groups.js";

/** @typedef {import("../../../static/types/api_types.js").ServerTool} ServerTool */

/** @param {string} key method and path @param {Partial<ServerTool>} [facts] */
const tool = (key, facts = {}) => {
  const [method, path] = key.split(" ");
  return /** @type {ServerTool} */ ({ key, method, path, name: key, summary: "", tags: [], safe: method === "GET", ...facts });
};

const never = () => false;
const always = () => true;

/** @param {import("../../../static/review/operation_groups.js").OperationGroup[]} groups */
const shape = (groups) => groups.map(({ title, tools }) => [title, tools.map(({ key }) => key)]);

test("operations stand under their first tag, in the order of the document, and by path within it", () => {
  const tools = [tool("GET /z", { tags: ["pets", "x"] }), tool("GET /a", { tags: ["shops"] }), tool("POST /b", { tags: ["pets"] })];
  assert.deepEqual(shape(groupOperations(tools, never)), [["pets", ["POST /b", "GET /z"]], ["shops", ["GET /a"]]]);
});

test("those without a tag stand under how their paths begin, after what all paths begin with", () => {
  const tools = ["GET /v1/pets", "POST /v1/pets", "GET /v1/shops/{id}", "GET /v1/shops"].map((key) => tool(key));
  assert.deepEqual(shape(groupOperations(tools, never)), [["/v1/pets", ["GET /v1/pets", "POST /v1/pets"]], ["/v1/shops", ["GET /v1/shops", "GET /v1/shops/{id}"]]]);
});

test("paths of which nearly each begins with something else make one group", () => {
  assert.deepEqual(shape(groupOperations([tool("GET /b"), tool("GET /a"), tool("GET /c")], never)), [["Without a tag", ["GET /a", "GET /b", "GET /c"]]]);
});

test("what changed comes first, in a group of its own", () => {
  const tools = [tool("GET /a", { tags: ["pets"] }), tool("GET /b", { tags: ["shops"] })];
  const groups = groupOperations(tools, ({ path }) => path === "/b");
  assert.deepEqual(shape(groups), [["Changed since you accepted", ["GET /b"]], ["pets", ["GET /a"]]]);
});

test("a search finds operations with every word in name, method, path, summary or tag", () => {
  const tools = [tool("GET /pets", { name: "listPets", summary: "All of them", tags: ["Zoo"] }), tool("POST /pets", { tags: ["Zoo"] }), tool("GET /shops", { tags: ["Town"] })];
  const found = (/** @type {string} */ query) => findOperations(groupOperations(tools, never), query, always).flatMap((group) => group.tools.map(({ key }) => key));
  assert.deepEqual([found("PETS get"), found("all"), found("zoo"), found("")], [["GET /pets"], ["GET /pets"], ["GET /pets", "POST /pets"], ["GET /pets", "POST /pets", "GET /shops"]]);
  assert.deepEqual(findOperations(groupOperations(tools, never), "pets", ({ safe }) => !safe).map(({ title }) => title), ["Zoo"]);
});

test("a folded group is one line, and a single group has no heading", () => {
  const [one, other] = [tool("GET /a", { tags: ["pets"] }), tool("GET /b", { tags: ["shops"] })];
  const groups = groupOperations([one, other], never);
  assert.deepEqual(linesOf(groups, ({ title }) => title === "shops").map((line) => (line.kind === "group" ? line.group.title : line.tool.key)), ["pets", "shops", "GET /b"]);
  assert.deepEqual(linesOf([groups[0]], never), [{ kind: "tool", tool: one }]);
});
