// @ts-check
/** Backups as text: what opens them, what does not, and what a reader of the text learns. */
import assert from "node:assert/strict";
import test from "node:test";
import { ITERATIONS, openWithKey, openWithPassphrase, sealWithKey, sealWithPassphrase } from "../../../static/backup/envelope.js";
import { makeCode, readCode } from "../../../static/backup/transfer_code.js";

const PASSPHRASE = "blue otter under the bridge";
const CONTENT = { items: [{ secret: "s3cret-é", big: 12345678901234567890n }] };
/** One derivation serves most tests: it takes a part of a second on purpose. */
const SEALED = await sealWithPassphrase(CONTENT, PASSPHRASE);

/** @param {Record<string, unknown>} changes */
const changed = (changes) => JSON.stringify({ ...JSON.parse(SEALED), ...changes });
/** @param {Record<string, unknown>} changes */
const withKey = (changes) => changed({ key: { ...JSON.parse(SEALED).key, ...changes } });

test("a passphrase opens what it sealed, to the last digit, in whatever form its accents are typed", async () => {
  assert.deepEqual(await openWithPassphrase(SEALED, PASSPHRASE), CONTENT);
  const composed = await sealWithPassphrase(1, "\u00e9t\u00e9 au lait, s'il vous");
  assert.equal(await openWithPassphrase(composed, "e\u0301te\u0301 au lait, s'il vous"), 1);
});

test("the text tells how the key is made, and nothing of the content", async () => {
  const { format, version, key, iv, content, ...more } = JSON.parse(SEALED);
  assert.deepEqual([format, version, more], ["tool-bridge browser backup", 1, {}]);
  assert.equal(key.derivation, "PBKDF2-SHA-256");
  assert.ok(key.iterations >= 600_000);
  assert.ok(!Buffer.from(content, "base64").includes("s3cret"));
  const again = JSON.parse(await sealWithPassphrase(CONTENT, PASSPHRASE));
  assert.ok(again.key.salt !== key.salt && again.iv !== iv && again.content !== content);
});

test("another passphrase, and a byte that was changed, open nothing", async () => {
  await assert.rejects(openWithPassphrase(SEALED, `${PASSPHRASE}.`), { code: "wrong_key" });
  const { content } = JSON.parse(SEALED);
  const flipped = (content.startsWith("A") ? "B" : "A") + content.slice(1);
  await assert.rejects(openWithPassphrase(changed({ content: flipped }), PASSPHRASE), { code: "wrong_key" });
});

test("the header is authenticated: who changes it changes what opens", async () => {
  await assert.rejects(openWithPassphrase(withKey({ iterations: ITERATIONS + 1 }), PASSPHRASE), { code: "wrong_key" });
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(SEALED)).reverse()), null, 2);
  assert.deepEqual(await openWithPassphrase(reordered, PASSPHRASE), CONTENT);
});

test("each fault of a file has its own name", async () => {
  const cases = /** @type {[string, string][]} */ ([
    [SEALED.slice(0, -20), "damaged"],
    [changed({ content: "???" }), "damaged"],
    [changed({ iv: 7 }), "damaged"],
    [changed({ version: 2 }), "newer_version"],
    [changed({ version: 0 }), "damaged"],
    [withKey({ iterations: 1000 }), "damaged"],
    [withKey({ iterations: 1e9 }), "damaged"],
    [withKey({ salt: "AAAA" }), "damaged"],
    [withKey({ derivation: "HKDF-SHA-256" }), "damaged"],
    ["{}", "not_a_backup"],
    ["null", "not_a_backup"],
    ["PK\u0003\u0004", "not_a_backup"],
    [" ".repeat(16 * 1024 * 1024 + 1), "too_large"],
  ]);
  for (const [text, code] of cases) await assert.rejects(openWithPassphrase(text, PASSPHRASE), { name: "BackupError", code }, text.slice(0, 80));
});

test("a content that would fill the memory is unpacked no further than its limit", async () => {
  const { key } = await readCode(await makeCode());
  const bomb = await sealWithKey("x".repeat(65 * 1024 * 1024), key);
  await assert.rejects(openWithKey(bomb, key), { code: "too_large" });
});

test("what is too large for a transfer is refused before it is sent", async () => {
  const { key } = await readCode(await makeCode());
  const noise = Array.from({ length: 16 }, () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString("base64"));
  await assert.rejects(sealWithKey(noise, key), { code: "too_large" });
});
