// @ts-check
/** Files of a message: which may be attached, and under which names and types they are sent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { MAX_FILES, MAX_FILE_BYTES, MAX_MESSAGE_BYTES, chooseFiles, isShown, plainName, plainType } from "../../../static/attachments/attachment_limits.js";

/** @param {number} size @param {string} [name] */
const file = (size, name = "a.png") => ({ name, size });

test("files that fit are taken, and every reason against others is said once", () => {
  const { taken, problems } = chooseFiles([file(1)], [file(5), file(MAX_FILE_BYTES + 1, "big.zip"), file(MAX_FILE_BYTES + 1, "big.zip")]);
  assert.deepEqual(taken, [file(5)]);
  assert.equal(problems.length, 1);
  assert.match(problems[0], /^big\.zip has 5\.0 MiB; a file may have 5\.0 MiB\.$/);
});

test("a message has a limit of files and of bytes", () => {
  const many = Array.from({ length: MAX_FILES + 2 }, () => file(1));
  assert.equal(chooseFiles([], many).taken.length, MAX_FILES);
  const large = Array.from({ length: 5 }, () => file(MAX_FILE_BYTES));
  assert.equal(chooseFiles([], large).taken.length, Math.floor(MAX_MESSAGE_BYTES / MAX_FILE_BYTES));
});

test("the limits are those of the bridge", () => {
  const python = readFileSync(new URL("../../../bridge/models/conversations/attachments.py", import.meta.url), "utf8");
  const limit = (/** @type {string} */ name) => Number(eval(new RegExp(`^${name} = (.+)$`, "m").exec(python)?.[1] ?? ""));
  assert.deepEqual([limit("MAX_ATTACHMENTS"), limit("MAX_ATTACHMENT_BYTES"), limit("MAX_MESSAGE_BYTES")], [MAX_FILES, MAX_FILE_BYTES, MAX_MESSAGE_BYTES]);
});

test("names and types are made such that the bridge takes them", () => {
  assert.equal(plainName("../a\\b\nc"), ".._a_b_c");
  assert.equal(plainName(""), "file");
  assert.equal(plainType("Text/CSV; charset=utf-8"), "text/csv");
  assert.equal(plainType(""), "application/octet-stream");
  assert.deepEqual(["image/png", "image/svg+xml", "text/html"].map(isShown), [true, false, false]);
});
