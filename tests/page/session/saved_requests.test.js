// @ts-check
/** Requests saved by name, and forms given to others as an address. */
import assert from "node:assert/strict";
import test from "node:test";
import { linkTo, readLink, shareableArguments } from "../../../static/trying/shared_link.js";
import { readArguments, SavedRequests } from "../../../static/session/saved_requests.js";
import { readRoute } from "../../../static/ui/router.js";

/** @returns {any} */
function memory() {
  const records = new Map();
  return {
    readRecord: async (/** @type {string} */ _store, /** @type {string} */ key) => records.get(key),
    changeRecords: async (/** @type {string[]} */ _stores, /** @type {(of: () => object) => void} */ change) =>
      change(() => ({ put: (/** @type {unknown} */ value, /** @type {string} */ key) => records.set(key, value) })),
  };
}

test("requests are saved for each operation, by name, with all digits; a name is there once", async () => {
  const store = memory();
  const pets = new SavedRequests(store, { server_id: "s", key: "GET /pets" });
  await pets.saveRequest(" big ", { id: 12345678901234567890n });
  await pets.saveRequest("a", { id: 1 });
  await pets.saveRequest("a", { id: 2 });
  assert.deepEqual(await pets.listRequests(), [{ name: "a", text: '{"id":2}' }, { name: "big", text: '{"id":12345678901234567890}' }]);
  assert.deepEqual(await new SavedRequests(store, { server_id: "s", key: "GET /other" }).listRequests(), []);
  await pets.removeRequest("a");
  await pets.removeRequest("big");
  assert.deepEqual(await pets.listRequests(), []);
});

test("arguments whose secrets were not stored can be edited, without marks, but not run", () => {
  assert.deepEqual(readArguments('{"a":1,"password":"[secret]","list":[{"token":"[secret]","b":2}]}'), { args: { a: 1, list: [{ b: 2 }] }, isWhole: false });
  assert.deepEqual(readArguments('{"a":1}'), { args: { a: 1 }, isWhole: true });
  for (const text of [null, "", "[1]", "{nope"]) assert.equal(readArguments(text), null);
});

test("a link brings the arguments back, in any script and with all digits", () => {
  const args = { name: "Zoë 😀", id: 12345678901234567890n, tags: ["a&b?c#d"] };
  const link = linkTo("http://127.0.0.1:8765/", "getPet", args) ?? "";
  assert.match(link, /^http:\/\/127\.0\.0\.1:8765\/#\/tools\/getPet\?args=[\w-]+$/);
  const { section, parts, query } = readRoute(new URL(link).hash);
  assert.deepEqual([section, parts], ["tools", ["getPet"]]);
  assert.deepEqual(readLink(query.get("args")), args);
});

test("a link holds no secret and no contents of files, and says what is missing", () => {
  const args = { user: "ada", password: "hunter22", file: { base64: "eA==", filename: "a.png" }, deep: [{ api_key: "k" }] };
  assert.deepEqual(shareableArguments(args), {
    args: { user: "ada", file: { filename: "a.png" }, deep: [{}] },
    left: ["password", "the file a.png", "api_key"],
  });
});

test("a link that would be cut on its way is none, and one that was cut fills nothing", () => {
  assert.equal(linkTo("http://b/", "t", { text: "x".repeat(9000) }), null);
  for (const encoded of [null, "", "eyJ", "!!!", btoa("[1]")]) assert.equal(readLink(encoded), null);
});
