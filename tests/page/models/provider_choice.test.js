// @ts-check
/** Providers of models: what a form becomes, what is wrong with it, and how a provider is described. */
import assert from "node:assert/strict";
import test from "node:test";
import { PRESETS, bodyOf, choiceOf, describeProvider, faultsOf, freeName } from "../../../static/models/provider_choice.js";

const typed = { name: "mine", url: "https://api.openai.com/v1", key: "", api: "", models: [], shared: false, dropsKey: false, dialect: "", strict: "", chars: "", search: "" };

test("a key that was not typed stays, unless it is to be removed", () => {
  assert.equal(bodyOf(typed).key, null);
  assert.equal(bodyOf({ ...typed, dropsKey: true }).key, "");
  assert.equal(bodyOf({ ...typed, dropsKey: true, key: "sk" }).key, "sk");
  assert.deepEqual(bodyOf({ ...typed, api: "chat" }), { base_url: typed.url, api: "chat", key: null, models: [], shared: false, dialect: null, strict_tools: null, max_description_chars: null, tool_search: null });
});

test("Finding W-4, W-40: what a provider takes is decided by its address, unless its user knows better", () => {
  assert.equal(bodyOf({ ...typed, dialect: "gemini" }).dialect, "gemini");
  const rules = (/** @type {object} */ more) => (({ strict_tools, max_description_chars }) => [strict_tools, max_description_chars])(bodyOf({ ...typed, ...more }));
  assert.deepEqual(rules({}), [null, null]);
  assert.deepEqual(rules({ strict: "off", chars: "1024" }), [false, 1024]);
  assert.deepEqual(rules({ strict: "on" }), [true, null]);
  for (const chars of ["99", "16001", "100.5", "x"]) assert.deepEqual(Object.keys(faultsOf({ ...typed, chars }, [])), ["chars"]);
  assert.deepEqual(faultsOf({ ...typed, chars: "100" }, []), {});
});

test("a user may know better than a name whether models search for tools by themselves", () => {
  const asked = (/** @type {string} */ search) => bodyOf({ ...typed, search }).tool_search;
  assert.deepEqual(["", "on", "off"].map(asked), [null, true, false]);
});

test("all faults of a form are said at once", () => {
  assert.deepEqual(Object.keys(faultsOf({ ...typed, name: "", url: "api.openai.com" }, [])), ["name", "base_url"]);
  assert.deepEqual(Object.keys(faultsOf({ ...typed, name: "a b", url: "ftp://x" }, [])), ["name", "base_url"]);
  assert.deepEqual(Object.keys(faultsOf(typed, ["mine"])), ["name"]);
  assert.deepEqual(faultsOf(typed, []), {});
  for (const { url, id } of PRESETS) assert.deepEqual(faultsOf({ ...typed, url, name: id }, []), {});
});

test("a name is found that no other provider has", () => {
  assert.equal(freeName("openai", []), "openai");
  assert.equal(freeName("openai", ["openai", "openai-2"]), "openai-3");
  assert.equal(freeName(" a /b ", []), "a-b");
  assert.equal(freeName("", []), "provider");
});

test("to choose all models is no choice, so that later ones are offered too", () => {
  assert.deepEqual(choiceOf(["a", "b"], new Set(["b", "a"])), []);
  assert.deepEqual(choiceOf(["a", "b"], new Set(["b"])), ["b"]);
  assert.deepEqual(choiceOf(["a"], new Set()), []);
});

test("a provider is described without its key", () => {
  const own = { name: "mine", base_url: "", api: /** @type {const} */ ("chat"), has_key: true, key_lost: false, models: ["a"], source: /** @type {const} */ ("own"), shared: true, dialect: null, strict_tools: null, max_description_chars: null, tool_search: null };
  assert.equal(describeProvider(own), "1 model: a · key stored on the bridge · shared with all users");
  assert.equal(describeProvider({ ...own, has_key: false, key_lost: true, models: [], shared: false }), "All models it lists · its key cannot be read any more: enter it again");
  assert.equal(describeProvider({ ...own, has_key: false, source: "settings" }), "1 model: a · set by the operator");
});
