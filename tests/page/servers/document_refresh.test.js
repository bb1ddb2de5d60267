// @ts-check
/** Fetching documents again sends on only what is new. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { digestOf, DocumentRefresh } from "../../../static/servers/document_refresh.js";

Object.assign(globalThis, { location: new URL("http://127.0.0.1:8765/") });

const TEXT = "openapi: 3.1.0\ninfo: {title: Größe}\n";
const DIGEST = createHash("sha256").update(TEXT).digest("hex");

/** @param {Partial<import("../../../static/types/api_types.js").Server>} facts @param {string} found */
async function uploadsOf(facts, found) {
  /** @type {unknown[]} */
  const uploads = [];
  const server = { id: "shop", source_url: "https://api.example/openapi.yaml", shared: false, digest: DIGEST, ...facts };
  const parts = /** @type {any} */ ({
    api: {
      bundleDocument: async (/** @type {{text: string}} */ { text }) => ({ text, missing: [], problems: [] }),
      replaceDocument: async (/** @type {string} */ id, /** @type {object} */ sent) => uploads.push({ id, ...sent }),
    },
    references: { decisionsOf: async () => ({ origins: {}, without: {} }) },
    probes: { fetchDocument: async (/** @type {URL} */ url) => ({ text: found, source_url: url.href }) },
    inventory: { servers: [server], loadInventory: async () => undefined },
  });
  await new DocumentRefresh(parts).refetchAll();
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
  assert.deepEqual(await uploadsOf({ shared: true }, "new"), []);
  assert.deepEqual(await uploadsOf({ source_url: null }, "new"), []);
});
