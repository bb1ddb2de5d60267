// What a server says of its own tool is told in the page's language.
import test from "node:test";
import assert from "node:assert/strict";
import { claimWords } from "../../../static/mcp/claim_labels.js";
import { claimsOf } from "../../../static/mcp/tool_claims.js";

const NAMES = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const claimsIf = (/** @type {boolean} */ value) => claimsOf(/** @type {any} */ ({ tool: { annotations: Object.fromEntries(NAMES.map((name) => [name, value])) } }));

/** Finding house-H16: the worker told them in English, by which the page knew them again. */
test("every claim is a code that has words", () => {
  assert.equal(claimWords(claimsIf(true)), "only reads, may delete or overwrite, twice is as once, reaches other systems");
  assert.equal(claimWords(claimsIf(false)), "can change something, deletes nothing, twice is not as once, stays within its own");
});
