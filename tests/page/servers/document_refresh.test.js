// @ts-check
/** Fetching documents again sends on only what is new. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { digestOf, DocumentRefresh, mayRefetch } from "../../../static/servers/document_refresh.js";

Object.assign(globalThis, { location: new URL("http://127.0.0.1:8765/") });

const TEXT = "openapi: 3.1.0\ninfo: {title: Größe}\n";
const DIGEST = createHash("sha256").update(TEXT).digest("hex");

const HOUR_MS = 3_600_000;

/**
 * @param {Partial<import("../../../static/types/api_types.js").Server>} facts @param {string} found
 * @param {{fetchedAt?: number, now?: number, chosen?: object}} [more] `chosen`: how its origin is called
 */
async function uploadsOf(facts, found, { fetchedAt = 0, now = 2 * HOUR_MS, chosen } = {}) {
  /** @type {unknown[]} */
  const uploads = [];
  const server = { id: "shop", source_url: "https://api.example/openapi.yaml", may_remove: true, shared_by: null, digest: DIGEST, ...facts };
  const parts = /** @type {any} */ ({
    api: {
      bundleDocument: async (/** @type {{text: string}} */ { text }) => ({ text, missing: [], problems: [] }),
      replaceDocument: async (/** @type {string} */ id, /** @type {object} */ sent) => uploads.push({ id, ...sent }),
    },
    references: {
      decisionsOf: async () => ({ origins: {}, without: {} }),
      readFetchTime: async () => fetchedAt,
      saveFetchTime: async (/** @type {string} */ _id, /** @type {number} */ time) => void (fetchedAt = time),
    },
    probes: { fetchDocument: async (/** @type {URL} */ url) => ({ text: found, source_url: url.href }) },
    credentials: { loadCredentials: async () => ({}) },
    store: { readRecord: async () => chosen },
    inventory: { servers: [server], loadInventory: async () => undefined },
  });
  await new DocumentRefresh(parts, undefined, () => now).refetchAll();
  return uploads;
}

test("a text has the digest that the bridge gives it: without byte order mark, with LF ends", async () => {
  assert.equal(await digestOf(TEXT), DIGEST);
  assert.equal(await digestOf(`\uFEFF${TEXT.replaceAll("\n", "\r\n")}`), DIGEST);
  assert.notEqual(await digestOf(`${TEXT}#`), DIGEST);
});

test("an unchanged document is not sent again, even by a browser that never fetched it before", async () => {
  assert.deepEqual(await uploadsOf({}, TEXT), []);
});

test("a changed document is sent, with the address it was found at", async () => {
  const text = `${TEXT}paths: {}\n`;
  const sent = { id: "shop", text, source_url: "https://api.example/openapi.yaml" };
  assert.deepEqual(await uploadsOf({}, text), [sent]);
});

test("shared documents and those given as text are left alone", async () => {
  assert.deepEqual(await uploadsOf({ may_remove: false }, "new"), []);
  assert.deepEqual(await uploadsOf({ shared_by: "Ann" }, "new"), []);
  assert.deepEqual(await uploadsOf({ source_url: null }, "new"), []);
});

test("a document elsewhere is asked for once an hour, and one on this machine at every opening", async () => {
  const text = `${TEXT}paths: {}\n`;
  const recent = { fetchedAt: HOUR_MS + 1 };
  assert.deepEqual(await uploadsOf({}, text, recent), []);
  assert.equal((await uploadsOf({}, text, { fetchedAt: HOUR_MS })).length, 1);
  assert.equal((await uploadsOf({ source_url: "http://localhost:8000/openapi.json" }, text, recent)).length, 1);
});

test("a clock that was set back does not make a document young for ever", async () => {
  assert.equal((await uploadsOf({}, `${TEXT}paths: {}\n`, { fetchedAt: 4 * HOUR_MS, now: 2 * HOUR_MS })).length, 1);
});

test("Finding S-H1: nobody fetches, by button either, from where another user says that a document is", () => {
  const own = { source_url: "https://api.example/openapi.yaml", may_change: true, shared_by: null };
  assert.equal(mayRefetch(own), true);
  assert.equal(mayRefetch({ ...own, shared_by: "eve" }), false); // an operator may change it all the same
  assert.equal(mayRefetch({ ...own, may_change: false }), false);
  assert.equal(mayRefetch({ ...own, source_url: null }), false);
});

test("Finding F-4: what was chosen for an origin holds for fetching its document again, and the page does not take over", async () => {
  const text = `${TEXT}paths: {}\n`;
  const chosen = { transport: "companion", login: true, headers: [["cookie", "s=1"]] };
  Object.assign(globalThis, { window: { postMessage: () => undefined } }); // nobody takes the port
  assert.deepEqual(await uploadsOf({}, text, { chosen }), []);
  assert.equal((await uploadsOf({ kind: "mcp" }, text, { chosen })).length, 1, "tools of MCP servers are listed by the page");
});
