// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCount } from "../../../static/ui/format_count.js";
import { filterGroups, reportGroups, reportJson, summaryOf } from "../../../static/ui/document_report.js";

/** @typedef {import("../../../static/types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../../../static/types/api_types.js").ServerTool} ServerTool */

/** @param {string} name @param {Partial<ServerTool>} [facts] */
const tool = (name, facts = {}) => /** @type {ServerTool} */ ({ name, operation_id: name, method: "GET", path: `/${name}`, warnings: [], unsendable: [], ...facts });

const UNSENT = { in: "header", name: "Cookie", required: true, reason: "Browsers forbid it." };

/** @type {ServerDetail} */
const SERVER = /** @type {any} */ ({
  title: "Shop",
  version: "1",
  openapi: "3.0.3",
  tools: [tool("plain"), tool("odd", { warnings: ["One odd thing."] }), tool("held", { unsendable: [UNSENT], warnings: ["The header 'Cookie' is not sent. Browsers forbid it."] })],
  skipped: [{ method: "GET", path: "/x", reason: "It has no responses." }],
  warnings: ["Two servers."],
  validation: { state: "invalid", problems: ["/info: lacks a title"] },
});

test("a report has what was left out, what cannot be sent, warnings, remarks and flaws, in this order", () => {
  const groups = reportGroups(SERVER).map(({ id, title, entries }) => [id, title, entries.flatMap(({ texts }) => texts)]);
  assert.deepEqual(groups, [
    ["skipped", "1 operation left out", ["It has no responses."]],
    ["unsendable", "1 tool with parts that a browser cannot send", ["header Cookie (required): Browsers forbid it."]],
    ["warnings", "1 tool with warnings", ["One odd thing."]],
    ["remarks", "1 remark about the document", ["Two servers."]],
    ["flaws", "1 flaw found by openapi-core", ["/info: lacks a title"]],
  ]);
  assert.equal(summaryOf(SERVER), "3 tools, 2 with warnings · 1 operation left out · OpenAPI 3.0.3: flaws found");
});

test("a document without anything to say has no groups, and problems count only once they are known", () => {
  const clean = { ...SERVER, tools: [tool("plain")], skipped: [], warnings: [] };
  assert.deepEqual(reportGroups({ ...clean, validation: { state: "pending", problems: ["x"] } }), []);
  assert.equal(summaryOf({ ...clean, validation: { state: "valid", problems: [] } }), "1 tool · nothing left out · OpenAPI 3.0.3: valid");
});

test("a search finds entries that have all words, in whatever case, in names and texts", () => {
  const found = (/** @type {string} */ words) => filterGroups(reportGroups(SERVER), words).map(({ id }) => id);
  assert.deepEqual([found("ODD thing"), found("/odd"), found("get x"), found("nothing of it")], [["warnings"], ["warnings"], ["skipped"], []]);
  assert.equal(found("").length, 5);
});

test("as JSON it has the form of tool-bridge check", () => {
  assert.deepEqual(Object.keys(reportJson(SERVER)), ["title", "version", "tools", "skipped", "document_warnings"]);
  assert.deepEqual(reportJson(SERVER).tools[1], { name: "odd", operation_id: "odd", method: "GET", path: "/odd", warnings: ["One odd thing."] });
});

test("large numbers are readable", () => {
  assert.equal(formatCount(11422, "operation"), "11,422 operations");
});
