// @ts-check
/** Files as arguments: which arguments they are, how large they may be, how their bytes travel. */
import assert from "node:assert/strict";
import test from "node:test";
import { isBase64Text, isFile, isFileList } from "../../../static/base/argument_schema.js";
import { acceptedTypes, decodedSize, fileProblem, MAX_ARGUMENT_BYTES, MAX_FILE_BYTES, readBase64, sizeProblem } from "../../../static/forms/file_content.js";
import { createField } from "../../../static/forms/form_state.js";
import { readForm } from "../../../static/forms/form_values.js";

const text = { type: "string" };
const FILE = { type: "object", properties: { base64: text, text, url: text, filename: text, content_type: text } };

test("a file is known by its parts, a list of files by its items, bytes by their encoding", () => {
  assert.equal(isFile(FILE), true);
  assert.equal(isFile({ type: "object", properties: { base64: text, url: text } }), false);
  assert.equal(isFileList({ type: "array", items: FILE }), true);
  assert.equal(isFileList({ type: "array", items: text }), false);
  assert.deepEqual([isBase64Text({ format: "byte" }), isBase64Text({ contentEncoding: "base64" }), isBase64Text({ format: "date" })], [true, true, false]);
});

test("the dialog offers the types that the document names", () => {
  assert.equal(acceptedTypes({ description: "A picture. Accepts image/png, image/*. May be null." }), "image/png, image/*");
  assert.equal(acceptedTypes({ description: "Accepts anything." }), "");
  assert.equal(acceptedTypes({}), "");
});

test("bytes survive as Base64, whatever they are, and their size is told from it", async () => {
  const bytes = Uint8Array.from({ length: 70_001 }, (_, index) => index % 256);
  const encoded = await readBase64(new Blob([bytes]));
  assert.deepEqual(Uint8Array.from(Buffer.from(encoded, "base64")), bytes);
  assert.equal(decodedSize(encoded), 70_001);
});

test("the largest file that may be chosen fits into a call, and a larger one is named with its size", async () => {
  const base64 = await readBase64(new Blob([new Uint8Array(MAX_FILE_BYTES)]));
  assert.equal(sizeProblem(JSON.stringify({ body: { base64, filename: "a.bin" } })), "");
  assert.equal(fileProblem({ name: "a.bin", size: MAX_FILE_BYTES }), "");
  assert.match(fileProblem({ name: "b.bin", size: MAX_FILE_BYTES + 1 }), /^b\.bin has 76\d\.\d KiB\. A call takes/);
});

test("arguments are measured in bytes, not in characters", () => {
  assert.equal(sizeProblem("x".repeat(MAX_ARGUMENT_BYTES)), "");
  assert.match(sizeProblem("ü".repeat(MAX_ARGUMENT_BYTES / 2 + 1)), /1\.0 MiB/);
});

test("a required file that nobody chose is a problem, an optional one is left out", () => {
  const schema = { type: "object", properties: { needed: FILE, other: FILE }, required: ["needed"] };
  const root = createField(schema);
  assert.deepEqual(readForm(root).problems.map(({ field, message }) => `${field.name}: ${message}`), ["needed: Choose a file, or give its text or address."]);
  root.fields[0].fields[0].text = "eA==";
  assert.deepEqual(readForm(root), { value: { needed: { base64: "eA==" } }, problems: [] });
});
