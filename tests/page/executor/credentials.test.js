// @ts-check
/** The user's secrets in the browser: what lies there tells nobody anything, and opens nowhere else. */
import assert from "node:assert/strict";
import test from "node:test";
import { Credentials } from "../../../static/executor/credentials.js";
import { MemoryStore } from "../support/memory_store.js";

const SECRET = "correct-horse-battery-staple";
const [SERVER, ORIGIN] = ["shop", "https://api.example"];

/** A store in which a secret lies, with all that lies there. */
async function filled() {
  const store = /** @type {any} */ (new MemoryStore());
  const credentials = new Credentials(store);
  await credentials.saveCredential(SERVER, ORIGIN, "key", { value: SECRET });
  const stored = await store.readRecord("credentials", [SERVER, ORIGIN, "key"]);
  return { store, credentials, stored, key: await store.readRecord("keys", "credential key") };
}

test("a secret is stored encrypted, and its key cannot be read out", async () => {
  const { credentials, stored, key } = await filled();
  const bytes = Buffer.concat([Buffer.from(stored.sealed), Buffer.from(stored.iv), Buffer.from(JSON.stringify(stored))]);
  assert.ok(!bytes.includes(SECRET));
  assert.equal(key.extractable, false);
  for (const format of /** @type {const} */ (["raw", "jwk"])) await assert.rejects(crypto.subtle.exportKey(/** @type {any} */ (format), key));
  assert.deepEqual(await credentials.loadCredentials(SERVER, ORIGIN), { key: { value: SECRET } });
});

test("a record that was moved to another server, origin or scheme does not open", async () => {
  for (const place of [["other", ORIGIN, "key"], [SERVER, "https://evil.example", "key"], [SERVER, ORIGIN, "other"]]) {
    const { store, credentials, stored } = await filled();
    const [server_id, origin, scheme] = place;
    await store.changeRecords(["credentials"], (/** @type {any} */ of) => of("credentials").put({ ...stored, server_id, origin, scheme }, place));
    await assert.rejects(credentials.loadCredentials(server_id, origin));
  }
});

test("the same secret is never stored as the same bytes", async () => {
  const { store, credentials, stored } = await filled();
  await credentials.saveCredential(SERVER, ORIGIN, "key", { value: SECRET });
  const again = await store.readRecord("credentials", [SERVER, ORIGIN, "key"]);
  assert.notDeepEqual([again.iv, again.sealed], [stored.iv, stored.sealed]);
});
