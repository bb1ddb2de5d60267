// @ts-check
/** Which arguments are files that are named by their addresses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withFiles } from "../../../static/request/file_urls.js";
import { plan } from "../support/plans.js";

const BINARY = plan({ method: "POST", body: { kind: "binary", content_type: "image/*", required: true, argument: "body" } });
const PARTS = plan({
  method: "POST",
  body: { kind: "multipart", content_type: "multipart/form-data", required: true, properties: [{ argument: "photos", name: "photos", file: true }, { argument: "note", name: "note" }] },
});
const WHOLE = plan({
  method: "POST",
  body: { kind: "multipart", content_type: "multipart/form-data", required: true, argument: "body", fields: [{ name: "photo", file: true }] },
});

const file = { bytes: new TextEncoder().encode("abc"), filename: "p", content_type: "image/png" };
const read = async () => file;
const url = "https://files.example/p";

test("lists of files, files inside a whole body, and everything that is no address stay in their places", async () => {
  assert.deepEqual(await withFiles(PARTS, { photos: [{ url }, { text: "t" }], note: { url } }, read), { photos: [file, { text: "t" }], note: { url } });
  const given = { body: { photo: { url }, note: { url } } };
  assert.deepEqual(await withFiles(WHOLE, given, read), { body: { photo: file, note: { url } } });
  assert.deepEqual(given.body.photo, { url });
  assert.deepEqual(await withFiles(PARTS, { photos: { url: "data:,x" } }, read), { photos: { url: "data:,x" } });
});

test("a name and a type that were given count more than those of the address", async () => {
  assert.deepEqual(await withFiles(BINARY, { body: { url, filename: "mine.png" } }, read), { body: { ...file, filename: "mine.png" } });
});

test("Finding W-5: what an address gives as the type of its file is left out where it is none", async () => {
  for (const content_type of ["image/*", "application/json, application/json", ""]) {
    const { body } = await withFiles(BINARY, { body: { url } }, async () => ({ ...file, content_type }));
    assert.deepEqual(body, { ...file, content_type: undefined });
  }
});

test("Finding O-12: files that are parts without names are read by their addresses, too", async () => {
  const mixed = plan({ method: "POST", body: { kind: "multipart", content_type: "multipart/mixed", required: true, argument: "body", parts: { file: true } } });
  assert.deepEqual(await withFiles(mixed, { body: [{ url }, { text: "t" }] }, read), { body: [file, { text: "t" }] });
});
