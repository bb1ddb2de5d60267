// @ts-check
/** The list of calls: what comes from two sides is one line, and the end of what is known is respected. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { filterQuery, historyQuery, matchesFilter, readFilter } from "../../../static/call_history/call_filter.js";
import { CallList } from "../../../static/call_history/call_list.js";
import { CallReader } from "../../../static/call_history/call_reader.js";
import { MAX_CALLS } from "../../../static/executor/call_log.js";

const ANY = readFilter(new URLSearchParams());
const NOW = 10_000_000;

/** @param {string} id @param {number} at in seconds @param {object} [about] @returns {any} as the bridge stores it */
const stored = (id, at, about = {}) => ({ call_id: id, tool: `tool_${id}`, server: "shop", operation: "GET /things", state: "succeeded", safe: true, http_status: 200, error: null, opened_at: at, ended_at: at + 1, asked_by: "key laptop", ...about });

/** @param {string} id @param {number} at in seconds @param {object} [about] @returns {any} as this browser logs it */
const live = (id, at, about = {}) => ({ call_id: id, tool: `tool_${id}`, server_id: "shop", key: "GET /things", asked_by: "bridge page", state: "answered", started_at: 1000 * at, duration_ms: 5, request: { method: "GET", url: "https://shop.test/things?q=NEEDLE" }, response: { http_status: 200 }, error: null, ...about });

/** @param {string} id @param {number} at @returns {any} */
const refused = (id, at) => ({ id, tool: "nosuch", server: null, code: "unknown_tool", asked_by: "key laptop", at });

/** @param {CallList} list @param {Partial<import("../../../static/call_history/call_filter.js").CallFilter>} [filter] */
const idsOf = (list, filter = {}) => list.listCalls({ ...ANY, ...filter }, NOW).map(({ id }) => id);

test("calls of both sides are one list, newest first, each once (finding F5)", () => {
  const list = new CallList();
  list.putLive(live("b", 20));
  list.putPage({ calls: [stored("c", 30), stored("b", 20.5), stored("a", 10)], next: null });
  list.putRefused([refused("r", 25)]);
  assert.deepEqual(idsOf(list), ["c", "r", "b", "a"]);
  list.putLive(live("b", 20, { duration_ms: 9 }));
  list.putNewest({ calls: [stored("d", 20.2), stored("c", 30), stored("b", 20.5)], next: null });
  assert.deepEqual(idsOf(list), ["c", "r", "d", "b", "a"], "a call keeps its place");
  assert.equal(list.findCall("b")?.live?.duration_ms, 9);
});

test("what is older than the last stored call that was read is not shown yet", () => {
  const list = new CallList();
  list.putLive(live("old", 5));
  list.putRefused([refused("r", 6)]);
  list.putPage({ calls: [stored("c", 30), stored("b", 20)], next: 20 });
  assert.deepEqual(idsOf(list), ["c", "b"]);
  list.putPage({ calls: [stored("a", 10)], next: null });
  assert.deepEqual(idsOf(list), ["c", "b", "a", "r", "old"]);
});

test("newest calls that do not follow on what is known replace it", () => {
  const list = new CallList();
  list.putPage({ calls: [stored("b", 20)], next: 20 });
  list.putLive(live("x", 45));
  assert.equal(list.putNewest({ calls: [stored("z", 50), stored("y", 40)], next: 40 }), false);
  assert.deepEqual(idsOf(list), ["z", "x", "y"]);
  assert.equal(list.putNewest({ calls: [stored("q", 60), stored("z", 50)], next: 50 }), true);
  assert.deepEqual(idsOf(list), ["q", "z", "x", "y"]);
});

test("of this browser's calls no more than its log has are kept", () => {
  const list = new CallList();
  for (let number = 0; number <= MAX_CALLS; number += 1) list.putLive(live(`c${number}`, number));
  assert.equal(idsOf(list).length, MAX_CALLS);
  assert.equal(list.findCall("c0"), null);
});

test("a call that waits at the bridge is in the list of those, until a browser has it", () => {
  const list = new CallList();
  list.putPage({ calls: [stored("a", 10, { state: "queued", ended_at: null })], next: null });
  assert.deepEqual(idsOf(list), []);
  list.putLive(live("a", 11, { state: "running", duration_ms: null }));
  assert.deepEqual(idsOf(list, { state: "running" }), ["a"]);
});

test("calls are narrowed by words, state, asker, API and time", () => {
  const list = new CallList();
  list.putPage({ calls: [stored("a", 9_990), stored("b", 1, { state: "failed", server: "other" })], next: null });
  list.putLive(live("c", 9_995));
  list.putRefused([refused("r", 9_000)]);
  assert.deepEqual(idsOf(list, { text: "needle" }), ["c"]);
  assert.deepEqual(idsOf(list, { text: "200" }), ["c", "a", "b"]);
  assert.deepEqual(idsOf(list, { state: "bad" }), ["b"]);
  assert.deepEqual(idsOf(list, { state: "refused" }), ["r"]);
  assert.deepEqual(idsOf(list, { asker: "key laptop" }), ["a", "r", "b"]);
  assert.deepEqual(idsOf(list, { server: "shop" }), ["c", "a"]);
  assert.deepEqual(idsOf(list, { hours: "1" }), ["c", "a", "r"]);
  assert.deepEqual(list.listAskers().sort(), ["bridge page", "key laptop"]);
  assert.ok(matchesFilter({ id: "c", at: 9_995_000, live: live("c", 9_995), stored: null, refused: null }, { ...ANY, text: " Things?Q " }, NOW));
});

test("filters are in the address, and the address is read again", () => {
  const filter = { text: "tea & co", state: "bad", asker: "key laptop, model gpt", server: "shop", hours: "24" };
  assert.deepEqual(readFilter(new URLSearchParams(filterQuery(filter))), filter);
  assert.equal(filterQuery(ANY), "");
  assert.equal(readFilter(new URLSearchParams("hours=x")).hours, "");
});

test("the bridge is asked for what it stores", () => {
  const all = { text: " tea ", state: "good", asker: "key laptop", server: "shop", hours: "1" };
  assert.equal(String(historyQuery(all, 7_260_000)), "state=good&text=tea&asker=key+laptop&server=shop&since=3660");
  assert.equal(String(historyQuery({ ...ANY, state: "running" }, 0)), "open=true");
  assert.equal(historyQuery({ ...ANY, state: "refused" }, 0), null);
});

/** A bridge with so many calls, in pages of two. @param {number} count */
function bridgeOf(count) {
  const calls = Array.from({ length: count }, (_, number) => stored(`s${count - number}`, count - number));
  /** @type {string[]} */
  const asked = [];
  const api = {
    asked,
    isAway: false,
    searchCalls: async (/** @type {URLSearchParams} */ query) => {
      asked.push(String(query));
      if (api.isAway) throw new Error("away");
      const page = calls.filter(({ opened_at }) => opened_at < Number(query.get("before") ?? Number.POSITIVE_INFINITY)).slice(0, 2);
      return { calls: page, next: page.length === 2 ? page[1].opened_at : null };
    },
    listRefused: async () => ({ calls: [refused("r", 2.5)], total: 900 }),
  };
  return api;
}

test("the history is read page by page to its end", async () => {
  const api = bridgeOf(5);
  const list = new CallList();
  const reader = new CallReader(api, list, () => undefined);
  await reader.readNewest(ANY);
  assert.deepEqual([idsOf(list), reader.hasMore, reader.refusedTotal], [["s5", "s4"], true, 900]);
  await Promise.all([reader.readMore(), reader.readMore()]);
  assert.deepEqual(idsOf(list), ["s5", "s4", "s3", "r", "s2"]);
  assert.equal(api.asked.length, 2, "one reading at a time");
  await reader.readMore();
  await reader.readMore();
  assert.deepEqual([idsOf(list), reader.hasMore], [["s5", "s4", "s3", "r", "s2", "s1"], false]);
});

test("a bridge that does not answer is said, and asked again", async () => {
  const api = bridgeOf(1);
  const list = new CallList();
  list.putLive(live("c", 9));
  const reader = new CallReader(api, list, () => undefined);
  api.isAway = true;
  await reader.readNewest(ANY);
  assert.ok(reader.failure instanceof Error);
  assert.deepEqual(idsOf(list), ["c", "r"], "what is known stays");
  api.isAway = false;
  await reader.refresh();
  assert.equal(reader.failure, null);
  assert.deepEqual(idsOf(list), ["c", "r", "s1"]);
});

test("an answer to older filters comes too late", async () => {
  const api = bridgeOf(3);
  const list = new CallList();
  const reader = new CallReader(api, list, () => undefined);
  const first = reader.readNewest(ANY);
  await reader.readNewest({ ...ANY, state: "refused" });
  await first;
  assert.deepEqual(idsOf(list), ["r"]);
});
