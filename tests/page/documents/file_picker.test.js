// @ts-check
/** Reading what a user chose. */
import assert from "node:assert/strict";
import test from "node:test";
import { readFiles } from "../../../static/documents/file_picker.js";

const TEXT = '{"openapi": "3.1.0", "info": {"title": "Größe"}}';

/** @param {string} path @param {Uint8Array} content */
const chosen = (path, content) => ({ path, file: new File([/** @type {Uint8Array<ArrayBuffer>} */ (content)], path) });

/** @param {"utf16le" | "utf8" | "latin1"} encoding */
const encoded = (encoding, mark = "") => Uint8Array.from(Buffer.from(mark + TEXT, encoding));

test("a document is read in UTF-8, and in UTF-16 with its mark, as some editors save it", async () => {
  const swapped = Uint8Array.from(Buffer.from(encoded("utf16le", "\uFEFF")).swap16());
  for (const content of [encoded("utf8"), encoded("utf8", "\uFEFF"), encoded("utf16le", "\uFEFF"), swapped])
    assert.deepEqual(await readFiles([chosen("api.json", content)]), [{ path: "api.json", text: TEXT }]);
});

test("a file in another encoding is refused by name, instead of being read as question marks", async () => {
  await assert.rejects(readFiles([chosen("api.json", encoded("latin1"))]), /^Error: api\.json is not UTF-8.*Save it as UTF-8\.$/);
});

test("in a folder it stops nobody: it need not be part of the document", async () => {
  const [, found] = await readFiles([chosen("notes.txt", encoded("latin1")), chosen("api.json", encoded("utf8"))]);
  assert.equal(found.text, TEXT);
});
