// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallFailure } from "../../../static/executor/call_failure.js";
import { withFiles } from "../../../static/executor/file_urls.js";
import { plan } from "../support/plans.js";

const PAGE = "http://localhost:8642/";
const BINARY = plan({ method: "POST", body: { kind: "binary", content_type: "image/*", required: true, argument: "body" } });
const PARTS = plan({
  method: "POST",
  body: { kind: "multipart", content_type: "multipart/form-data", required: true, properties: [{ argument: "photos", name: "photos", file: true }, { argument: "note", name: "note" }] },
});
const WHOLE = plan({
  method: "POST",
  body: { kind: "multipart", content_type: "multipart/form-data", required: true, argument: "body", fields: [{ name: "photo", file: true }] },
});

/** @param {(url: string) => Response} answer @param {number} [cap] */
function sources(answer, cap = 10) {
  const fetched = /** @type {[string, RequestInit][]} */ ([]);
  const fetch = async (/** @type {any} */ url, /** @type {any} */ init) => {
    fetched.push([url, init]);
    return answer(url);
  };
  const acceptedOrigins = () => ["https://files.example", "http://localhost:8642"];
  return { fetched, around: { fetch, pageUrl: PAGE, acceptedOrigins, cap, signal: new AbortController().signal } };
}

const png = () => new Response("abc", { headers: { "content-type": "image/png" } });

/** @param {Promise<unknown>} reading @param {string} code */
const fails = (reading, code) =>
  assert.rejects(reading, (error) => error instanceof CallFailure && error.code === code && error.delivered === "no");

test("a file of an accepted server is read without cookies, cache or redirects and gives its name and type", async () => {
  const { fetched, around } = sources(png);
  const args = await withFiles(BINARY, { body: { url: "https://files.example/a/ph%C3%B6to.png?x=1" } }, around);
  assert.deepEqual(args, { body: { bytes: new TextEncoder().encode("abc"), filename: "phöto.png", content_type: "image/png" } });
  const [[url, init]] = fetched;
  assert.equal(url, "https://files.example/a/ph%C3%B6to.png?x=1");
  assert.deepEqual([init.credentials, init.redirect, init.cache, init.referrerPolicy], ["omit", "manual", "no-store", "no-referrer"]);
});

test("a kept answer is read from this page's bridge, by whatever name the caller knows the bridge", async () => {
  for (const url of ["/files/eyJ.a-b_c", "http://localhost:8642/files/eyJ.a-b_c", "http://host.docker.internal:8642/files/eyJ.a-b_c"]) {
    const { fetched, around } = sources(png);
    const args = /** @type {any} */ (await withFiles(BINARY, { body: { url, filename: "mine.png" } }, around));
    assert.equal(fetched[0][0], "http://localhost:8642/files/eyJ.a-b_c");
    assert.equal(args.body.filename, "mine.png");
  }
});

test("no other address is read, the bridge's own doors and cloud metadata least of all", async () => {
  for (const url of ["https://evil.example/a.png", "http://localhost:8642/api/keys", "file:///etc/passwd", "http://169.254.169.254/x", "nonsense://", "/files/../api/me"]) {
    const { fetched, around } = sources(png);
    await fails(withFiles(BINARY, { body: { url } }, around), "not_accepted");
    assert.deepEqual(fetched, []);
  }
});

test("lists of files, files inside a whole body, and everything that is no URL stay in their places", async () => {
  const { around } = sources(png);
  const url = "https://files.example/p";
  const file = { bytes: new TextEncoder().encode("abc"), filename: "p", content_type: "image/png" };
  assert.deepEqual(await withFiles(PARTS, { photos: [{ url }, { text: "t" }], note: { url } }, around), { photos: [file, { text: "t" }], note: { url } });
  const given = { body: { photo: { url }, note: { url } } };
  assert.deepEqual(await withFiles(WHOLE, given, around), { body: { photo: file, note: { url } } });
  assert.deepEqual(given.body.photo, { url });
  assert.deepEqual(await withFiles(PARTS, { photos: { url: "data:,x" } }, around), { photos: { url: "data:,x" } });
});

test("all files of a call share one cap", async () => {
  const url = "https://files.example/p";
  await fails(withFiles(PARTS, { photos: [{ url }, { url }] }, sources(png, 5).around), "too_large");
});

test("an address that fails, redirects or breaks off says so, and nothing has been sent to the API", async () => {
  const url = "https://files.example/p";
  const redirect = Object.defineProperties(new Response(), { ok: { value: false }, type: { value: "opaqueredirect" } });
  await fails(withFiles(BINARY, { body: { url } }, sources(() => new Response("", { status: 404 })).around), "network");
  await fails(withFiles(BINARY, { body: { url } }, sources(() => redirect).around), "network");
  const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("gone")) });
  await fails(withFiles(BINARY, { body: { url } }, sources(() => new Response(broken)).around), "network");
});
