import assert from "node:assert/strict";
import { test } from "node:test";
import { fixedValues } from "../../../static/request/withheld.js";

/** @type {import("../../../static/types/types.d.ts").RequestPlan} */
const PLAN = {
  version: 2,
  method: "POST",
  base_url: "https://api.example",
  path: "/",
  parameters: [
    { in: "query", name: "env", required: true, fixed: "prod" },
    { argument: "filter", in: "query", name: "filter", required: false, place: 0 },
  ],
  body: { content_type: "application/json", required: true, properties: [], additional: true, place: 1 },
  accept: "",
  security: [],
  safe: false,
  idempotent: false,
  withheld: {
    names: [],
    places: [
      { refused: ["unit"], fixed: [["unit", "EUR"]] },
      { refused: ["dry"], fixed: [["dry", true]], members: [["below", 1]], others: 2 },
      { items: 0 },
    ],
  },
};

test("what an edit has fixed is told with its place, once where a schema contains itself", () => {
  assert.deepEqual(fixedValues(PLAN), [
    { place: "query", name: "env", value: "prod" },
    { place: "query", name: "filter.unit", value: "EUR" },
    { place: "body", name: "dry", value: true },
  ]);
});

test("a plan without edits has none", () => {
  assert.deepEqual(fixedValues({ ...PLAN, parameters: [], body: null, withheld: undefined }), []);
});
