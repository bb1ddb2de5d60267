// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { chatTitles } from "../../../static/session/chat_titles.js";
import { askerParts, askerWords, deviceName } from "../../../static/ui/asked_by.js";

test("who asks is named by kind, and the model beside it", () => {
  assert.equal(askerWords("key laptop"), "Key “laptop”");
  assert.equal(askerWords("forwarder Open WebUI"), "Key for all users “Open WebUI”");
  assert.equal(askerWords("client https://claude.example/client.json"), "Signed-in program “https://claude.example/client.json”");
  assert.equal(askerWords("bridge page"), "Bridge page");
  assert.equal(askerWords("bridge page, agent of the browser"), "Bridge page, agent of the browser");
  assert.equal(askerWords("bridge page, model gpt 5"), "Bridge page, model “gpt 5”");
  assert.equal(askerWords("key laptop, model gpt"), "Key “laptop”, model “gpt”");
});

test("what this page does not know is shown as it is", () => {
  assert.equal(askerWords("canary"), "canary");
  assert.equal(askerWords("constructor x"), "constructor x");
});

test("a label cannot pass for the page or for another kind of caller", () => {
  assert.equal(askerWords("key bridge page"), "Key “bridge page”");
  assert.equal(askerWords("key laptop, agent of the browser"), "Key “laptop, agent of the browser”");
  assert.equal(askerWords("key \u202Ea\nb"), "Key “\\u{202E}a↵b”");
  assert.deepEqual(askerParts("key a, model b, model c"), [
    ["Key", "a, model b"],
    ["model", "c"],
  ]);
});

test("a browser is named, this one is marked, and one that is gone keeps the beginning of its id", () => {
  /** @type {any} */
  const devices = [
    { id: "d1", name: "Chrome on Linux", this: true },
    { id: "d2", name: "Firefox on Windows", this: false },
  ];
  const names = ["d1", "d2", "0123456789abcdef"].map((id) => deviceName(id, devices));
  assert.deepEqual(names, ["Chrome on Linux (this browser)", "Firefox on Windows", "0123456789ab (no longer there)"]);
});

test("a conversation is asked for its title once, and a chat of another program never", async () => {
  /** @type {string[]} */
  const asked = [];
  const titleOf = chatTitles({
    sendRequest: async (/** @type {string} */ _method, /** @type {string} */ path) => {
      asked.push(path);
      if (path.endsWith("0")) return { conversation: { title: "Holidays" } };
      throw new Error("not_found");
    },
  });
  const [kept, gone] = ["conv-0123456789abcdf0", "conv-0123456789abcdf1"];
  assert.deepEqual(await Promise.all([kept, kept, gone, "conv-../../keys", "6f1c"].map(titleOf)), ["Holidays", "Holidays", null, null, null]);
  assert.deepEqual(asked, [`/conversations/${kept}`, `/conversations/${gone}`]);
});
