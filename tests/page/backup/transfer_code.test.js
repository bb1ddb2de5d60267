// @ts-check
/** Codes that people type from one screen to another, and passphrases. */
import assert from "node:assert/strict";
import test from "node:test";
import { openWithKey, sealWithKey } from "../../../static/backup/envelope.js";
import { isEnough, makePassphrase, strengthOf } from "../../../static/backup/passphrase.js";
import { makeCode, readCode } from "../../../static/backup/transfer_code.js";

test("a code opens what it sealed in another browser, however it is typed", async () => {
  const code = await makeCode();
  assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/);
  const { id, key } = await readCode(code);
  const sealed = await sealWithKey(["content"], key);
  const sloppy = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
  const typed = await readCode(sloppy);
  assert.equal(typed.id, id);
  assert.deepEqual(await openWithKey(sealed, typed.key), ["content"]);
});

test("what the bridge knows of a code is neither the code nor a part of it", async () => {
  const code = await makeCode();
  const { id, key } = await readCode(code);
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(key.extractable, false);
  const other = await readCode(await makeCode());
  assert.notEqual(other.id, id);
  await assert.rejects(openWithKey(await sealWithKey(1, key), other.key), { code: "wrong_key" });
});

test("a slip of the finger is noticed before anybody is asked", async () => {
  const code = "0000-0000-0000-0000-0000-0000-005X";
  for (const typed of [code.replace("0", "8"), code.slice(0, -1), `${code}A`, code.replace("-", "!"), ""])
    await assert.rejects(readCode(typed), { code: "bad_code" }, typed);
  assert.match((await readCode(code)).id, /^[0-9a-f]{32}$/);
});

test("what repeats or counts on is no passphrase, and one made here is strong", () => {
  for (const [passphrase, level] of [
    ["short", "short"],
    ["aaaaaaaaaaaa", "weak"],
    ["123456789012", "weak"],
    ["abcdefghijklmnop", "weak"],
    ["password1234", "weak"],
    ["three word tower", "fair"],
    ["correct horse battery staple", "strong"],
  ])
    assert.equal(strengthOf(passphrase).level, level, passphrase);
  for (let index = 0; index < 200; index += 1) assert.ok(isEnough(strengthOf(makePassphrase())));
});
