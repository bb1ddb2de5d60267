// @ts-check
/** Which calls ask: by what was accepted, granted and chosen in this browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApprovalRules, asksEachTime, CHAT_MS, grantOf, reasonToAsk, TIMED_MS } from "../../../static/approvals/approval_policy.js";
import { BY_PAGE } from "../../../static/executor/transport_choice.js";
import { call } from "../support/runner_bench.js";

/** @typedef {import("../../../static/types/types.d.ts").PageGrant} PageGrant */
const NOW = 1_000_000;
const ORDER = call({ key: "POST /orders", chat_id: "chat-1" });
/** @param {"chat" | "timed" | "always"} decision */
const granted = (decision) => /** @type {PageGrant} */ (grantOf(decision, ORDER, NOW));

test("the page asks by its own copy of the plan, whatever the bridge says", () => {
  assert.equal(reasonToAsk("safe", false, ORDER, [], NOW), "unsafe");
  assert.equal(reasonToAsk("safe", true, ORDER, [], NOW), null);
  assert.equal(reasonToAsk("ask", true, ORDER, [], NOW), "every_call");
  assert.equal(reasonToAsk("all", false, ORDER, [], NOW), null);
});

test("and it asks where only the bridge wants that", () => {
  const wanted = { ...ORDER, must_ask: true };
  for (const mode of /** @type {const} */ (["safe", "all"])) assert.equal(reasonToAsk(mode, true, wanted, [], NOW), "bridge");
  assert.equal(reasonToAsk("safe", false, wanted, [granted("always")], NOW), "bridge");
});

test("a grant of this browser is good for its operation as it stood, its chat and its time", () => {
  const asks = (/** @type {object} */ change, /** @type {any} */ word, now = NOW) =>
    reasonToAsk("safe", false, { ...ORDER, ...change }, [granted(word)], now) !== null;
  assert.deepEqual([asks({}, "always"), asks({}, "chat"), asks({}, "timed")], [false, false, false]);
  assert.deepEqual([asks({ digest: "d2" }, "always"), asks({ key: "PUT /orders" }, "timed"), asks({ server_id: "s2" }, "chat")], [true, true, true]);
  assert.deepEqual([asks({ chat_id: "chat-2" }, "chat"), asks({ chat_id: null }, "chat"), asks({ chat_id: "chat-2" }, "timed")], [true, true, false]);
  assert.deepEqual([asks({}, "chat", NOW + CHAT_MS), asks({}, "timed", NOW + TIMED_MS), asks({}, "always", NOW + 9 * CHAT_MS)], [true, true, false]);
});

test("Finding S-M2: what was allowed for a chat holds for the caller that the card named, for any key can name any chat", () => {
  const asks = (/** @type {object} */ change, /** @type {PageGrant} */ grant) => reasonToAsk("safe", false, { ...ORDER, ...change }, [grant], NOW) !== null;
  assert.deepEqual([{}, { caller_id: "k2" }, { caller_id: "" }].map((change) => asks(change, granted("chat"))), [false, true, true]);
  for (const word of /** @type {const} */ (["timed", "always"])) assert.equal(asks({ caller_id: "k2" }, granted(word)), false);
  const { caller_id: _, ...ofBefore } = granted("chat");
  for (const caller_id of ["k1", ""]) assert.equal(asks({ caller_id }, /** @type {PageGrant} */ (ofBefore)), true, "an older page kept it without a caller");
});

test("an operation that changed since it was always allowed says so", () => {
  assert.equal(reasonToAsk("safe", false, { ...ORDER, digest: "d2" }, [granted("always")], NOW), "changed");
});

test("once and denied are good for nothing more, nor is a chat without a name or a known caller", () => {
  assert.equal(grantOf("chat", { ...ORDER, caller_id: "" }, 0), null);
  assert.deepEqual([grantOf("once", ORDER, 0), grantOf("denied", ORDER, 0), grantOf("chat", { ...ORDER, chat_id: null }, 0)], [null, null, null]);
});

const NO_GRANTS = { grantsOf: async () => [], addGrant: async () => {} };
const noFiles = async () => false;
/** What the user has chosen for the API. @param {boolean} login */
const choosing = (login) => ({ hasLogins: async () => login, findVia: async () => ({ ...BY_PAGE, login }) });

test("what changes something as the user asks, whatever was allowed for good", async () => {
  const pin = (/** @type {boolean} */ safe) => async () => /** @type {any} */ ({ server_id: "s1", origin: "https://api.example", plan: { safe } });
  const grants = { ...NO_GRANTS, grantsOf: async () => [granted("always")] };
  for (const mode of ["safe", "ask", "all"]) {
    const rules = new ApprovalRules(pin(false), grants, choosing(true), noFiles);
    rules.setMode(mode);
    assert.equal(await rules.findReason(ORDER), "login");
  }
  assert.equal(await new ApprovalRules(pin(true), grants, choosing(true), noFiles).findReason(ORDER), null, "reading asks as it did");
  assert.equal(await new ApprovalRules(pin(false), grants, choosing(false), noFiles).findReason(ORDER), null);
  const unknown = { hasLogins: async () => true, findVia: async () => Promise.reject(new Error("closed")) };
  assert.equal(await new ApprovalRules(pin(false), grants, unknown, noFiles).findReason(ORDER), "login");
});

test("what this browser cannot look up it asks about", async () => {
  const lost = async () => Promise.reject(new Error("closed"));
  const rules = new ApprovalRules(lost, NO_GRANTS, choosing(false), noFiles);
  assert.equal(await rules.findReason(call()), "unsafe");
  rules.setMode("whatever");
  assert.equal(await rules.findReason(call()), "unsafe");
  rules.setMode("all");
  assert.equal(await rules.findReason(call()), "unsafe");
});

test("Finding S-M5: a call that takes a file to another API asks, whatever was allowed and in every mode, for a permission says nothing of the file", async () => {
  const pin = async () => /** @type {any} */ ({ server_id: "s1", origin: "https://api.example", plan: { safe: false } });
  const grants = { ...NO_GRANTS, grantsOf: async () => [granted("always")] };
  for (const mode of ["safe", "ask", "all"]) {
    const rules = new ApprovalRules(pin, grants, choosing(false), async () => true);
    rules.setMode(mode);
    assert.equal(await rules.findReason(ORDER), "file");
  }
  assert.equal(await new ApprovalRules(pin, grants, choosing(false), noFiles).findReason(ORDER), null);
});

test("issue 41: a tool whose plan says so asks before each call, in every mode and whatever was allowed", async () => {
  const pin = async () => /** @type {any} */ ({ server_id: "s1", origin: "https://api.example", plan: { safe: true, approval: "ask" } });
  const grants = { ...NO_GRANTS, grantsOf: async () => [granted("always")] };
  for (const mode of ["safe", "ask", "all"]) {
    const rules = new ApprovalRules(pin, grants, choosing(false), noFiles);
    rules.setMode(mode);
    assert.equal(await rules.findReason(ORDER), "tool");
  }
  assert.equal(asksEachTime("tool"), true);
});
