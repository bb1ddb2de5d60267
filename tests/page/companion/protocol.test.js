// @ts-check
/** The page's copy of what both sides must agree on: they are loaded from different places, and must not drift apart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as theirs from "../../../extension/protocol.js";
import * as ours from "../../../static/companion/protocol.js";

test("page and extension agree on every constant that the page has", () => {
  for (const [name, value] of Object.entries(ours)) assert.deepEqual(value, /** @type {Record<string, unknown>} */ (theirs)[name], name);
});
