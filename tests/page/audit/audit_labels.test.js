// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { formatTime } from "../../../static/base/time_format.js";
import { actorWords, factWords } from "../../../static/audit/audit_labels.js";

const NAMES = new Map([
  ["0123456789abcdef", "Chrome on Linux"],
  ["k1", "My editor"],
]);

test("who did something is named, not numbered, as long as it is there", () => {
  assert.equal(actorWords("page 0123456789abcdef", NAMES), "Page: Chrome on Linux");
  assert.equal(actorWords("page fedcba9876543210", NAMES), "Page: fedcba98 (no longer there)");
  assert.equal(actorWords("key", NAMES), "Key");
  assert.equal(actorWords("command line", NAMES), "Command line");
  assert.equal(actorWords("address 10.0.0.7", NAMES), "Address 10.0.0.7");
  assert.equal(actorWords("robot 7", NAMES), "robot 7");
});

test("the facts of a call are words and a local time", () => {
  const detail = { tool: "getPet", state: "failed", safe: true, asked_by: "My editor", code: "http_status", http_status: 404, ended_at: 1795369510.22, epoch: 3 };
  assert.equal(
    factWords(detail, NAMES),
    `getPet · failed · only reads · asked by My editor · http_status · API status 404 · ended ${formatTime(1795369510220)}`,
  );
});

test("facts of other kinds are words too, and none says that nothing is unusual", () => {
  assert.equal(factWords({ decision: "once", reason: "user", asked_by: "curl", go: true }, NAMES), "allowed once · asked by curl");
  assert.equal(factWords({ device: "0123456789abcdef", by: "link" }, NAMES), "Chrome on Linux · by link");
  assert.equal(factWords({ device: null, by: "code" }, NAMES), "by code");
  assert.equal(factWords({ key: "k1", label: "My editor", forwarder: false }, NAMES), "My editor · called My editor");
  assert.equal(factWords({ version: "0.1.0", unsettled: 0 }, NAMES), "version 0.1.0");
});

test("a fact that this page does not know is shown with its name, and cannot be more than a line", () => {
  assert.equal(factWords({ max_tools: 64, changes: { BREAKER_MAX_FAILURES: 9 } }, NAMES), 'max tools: 64 · changes: {"BREAKER_MAX_FAILURES":9}');
  assert.equal(factWords({ note: "a\nb" }, NAMES).includes("\n"), false);
});
