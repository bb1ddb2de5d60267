// What a server says of its own tool is told in the page's language.
import test from "node:test";
import assert from "node:assert/strict";
import { GERMAN } from "../../../static/languages/de.js";
import { claimWords } from "../../../static/mcp/claim_words.js";
import { claimsOf } from "../../../static/mcp/tool_claims.js";

const NAMES = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const claimsIf = (/** @type {boolean} */ value) => claimsOf(/** @type {any} */ ({ tool: { annotations: Object.fromEntries(NAMES.map((name) => [name, value])) } }));

test("every claim has German words, and English ones are the claims themselves", () => {
  const claims = [...claimsIf(true), ...claimsIf(false)];
  assert.equal(claims.length, 8);
  for (const claim of claims) assert.ok(claim in GERMAN.texts, claim);
  assert.equal(claimWords(claims), claims.join(", "));
});
