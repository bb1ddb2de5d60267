// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { credentialWords } from "../../../static/trying/tool_head.js";

/** @type {import("../../../static/types/types.js").RequestPlan["security"]} */
const KEY_OR_TOKEN = [[{ scheme: "key", type: "apiKey", in: "header", name: "X-Key" }], [{ scheme: "token", type: "http", http_scheme: "bearer" }]];

test("a user reads whether his credential goes along, where, and what is missing", () => {
  assert.equal(credentialWords({ security: KEY_OR_TOKEN }, ["token"]), "Sends your credential as authorization.");
  assert.equal(credentialWords({ security: KEY_OR_TOKEN }, ["*"]), "Sends the credential that goes with every request of this server.");
  assert.equal(credentialWords({ security: KEY_OR_TOKEN }, []), "Needs a credential (key or token), and none is saved in this browser.");
  assert.equal(credentialWords({ security: [...KEY_OR_TOKEN, []] }, []), "Takes a credential (key or token), and none is saved in this browser.");
  assert.equal(credentialWords({ security: [] }, []), "");
});
