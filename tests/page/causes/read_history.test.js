// @ts-check
/** What the page remembers of answers that it could read: little, without secrets, and not for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_AGE_MS, MAX_READS, ReadHistory, readsOfServer, withRead } from "../../../static/causes/read_history.js";
import { Pins } from "../../../static/executor/pins.js";
import { MemoryStore } from "../support/memory_store.js";

const ORIGIN = "https://api.example";
/** @type {[string, string][]} */
const SENT = [["content-type", "application/json"], ["x-key", "s3cret"], ["accept", "*/*"]];
const REQUEST = { method: "POST", url: `${ORIGIN}/private/s3cret?key=s3cret`, headers: SENT };

/** A browser in which these servers were accepted; `clock.now` can be moved. @param {string[]} servers */
function browser(...servers) {
  const store = new MemoryStore();
  for (const id of servers) store.rows.set(JSON.stringify(id), { server_id: id });
  const clock = { now: 1_000_000_000_000 };
  const reads = new ReadHistory(/** @type {any} */ (store), () => clock.now);
  return { store, clock, reads };
}

test("Finding F-2: method, names of headers and time are remembered, and nothing that could be a secret", async () => {
  const { store, clock, reads } = browser("s1");
  await reads.noteRead("s1", REQUEST);
  assert.deepEqual(await reads.listReads(ORIGIN), [{ origin: ORIGIN, method: "POST", headers: ["content-type", "x-key"], at: clock.now }]);
  assert.doesNotMatch(JSON.stringify([...store.rows]), /s3cret|private/);
});

test("Finding F-2: what one server's calls could read counts for all servers of that API, and for no other API", async () => {
  const { reads } = browser("s1", "s2");
  await reads.noteRead("s1", REQUEST);
  await reads.noteRead("s2", { ...REQUEST, method: "GET" });
  assert.deepEqual((await reads.listReads(ORIGIN)).map(({ method }) => method).sort(), ["GET", "POST"]);
  assert.deepEqual(await reads.listReads("https://other.example"), []);
});

test("Finding F-2: the memory of a server goes with it, and an answer that comes too late brings nothing back", async () => {
  const { store, clock, reads } = browser("s1");
  await reads.noteRead("s1", REQUEST);
  const rows = store.rows;
  await new Pins(/** @type {any} */ ({ changeRecords: (/** @type {string[]} */ stores, /** @type {any} */ change) => {
    assert.ok(stores.includes("keys"));
    change(() => ({ delete: (/** @type {any} */ key) => rows.delete(JSON.stringify(key)) }));
  } })).removeServer("s1").catch(() => undefined);
  rows.delete(JSON.stringify("s1"));
  clock.now += 60_000;
  await reads.noteRead("s1", REQUEST);
  assert.deepEqual([...rows], []);
});

test("a server has so many entries at most, the same request one, and none is kept for longer than a month", () => {
  const read = (/** @type {string} */ method, /** @type {number} */ at) => ({ origin: ORIGIN, method, headers: [], at });
  let all = withRead([], read("GET", 1));
  all = withRead(all, read("GET", 2));
  assert.deepEqual(all, [read("GET", 2)]);
  for (let count = 0; count < MAX_READS + 5; count += 1) all = withRead(all, read(`M${count}`, 3));
  assert.deepEqual([all.length, all[0]?.method], [MAX_READS, `M${MAX_READS + 4}`]);
  assert.deepEqual(withRead(all, read("GET", MAX_AGE_MS + 3)).length, 1);
});

test("what is older than a month decides nothing", async () => {
  const { clock, reads } = browser("s1");
  await reads.noteRead("s1", REQUEST);
  clock.now += MAX_AGE_MS;
  assert.deepEqual(await reads.listReads(ORIGIN), []);
});

test("a loop of calls is written down once in ten seconds", async () => {
  const { store, clock, reads } = browser("s1");
  let writes = 0;
  const change = store.changeRecords.bind(store);
  store.changeRecords = async (...given) => ((writes += 1), change(...given));
  for (let count = 0; count < 50; count += 1) await reads.noteRead("s1", REQUEST);
  clock.now += 10_000;
  await reads.noteRead("s1", REQUEST);
  assert.equal(writes, 2);
});

test("a request with many or long names of headers is not remembered", async () => {
  const { reads } = browser("s1");
  const many = Array.from({ length: 31 }, (_, place) => /** @type {[string, string]} */ ([`x-${place}`, ""]));
  await reads.noteRead("s1", { ...REQUEST, headers: many });
  await reads.noteRead("s1", { ...REQUEST, headers: [["x".repeat(101), ""]] });
  assert.deepEqual(await reads.listReads(ORIGIN), []);
});

test("a browser that stores nothing remembers nothing, and its calls go on", async () => {
  const { store, reads } = browser("s1");
  store.isBroken = true;
  await reads.noteRead("s1", REQUEST);
  assert.deepEqual(await reads.listReads(ORIGIN), []);
});

test("the place of a server's memory is not that of another server or of anything else in the store", () => {
  assert.deepEqual(readsOfServer("s1"), ["readable answers", "s1"]);
});
