// @ts-check
/** What the palette finds, and what the keys of the page ask for. */
import assert from "node:assert/strict";
import test from "node:test";
import { entry, findEntries, groupEntries } from "../../../static/palette/entries.js";
import { commandOf, listShortcuts } from "../../../static/palette/shortcuts.js";

const ENTRIES = [
  entry("Go to", "Tools", "#/tools"),
  entry("Tools", "listPets", "#/tools/listPets", "GET /pets", "Shop of animals"),
  entry("Tools", "petById", "#/tools/petById", "GET /pets/{id}"),
  entry("Tools", "carpetSizes", "#/tools/carpetSizes", "GET /carpets"),
];

/** @param {string} query */
const labels = (query) => findEntries(ENTRIES, query).map(({ label }) => label);

test("a label that begins with the word comes first, then one with a word that does, then the others", () => {
  assert.deepEqual(labels("pet"), ["petById", "listPets", "carpetSizes"]);
});

test("every word must occur, in label, detail or what else is looked into", () => {
  assert.deepEqual(labels("animals get"), ["listPets"]);
  assert.deepEqual(labels("animals post"), []);
  assert.equal(labels("  ").length, ENTRIES.length);
});

test("a kind with many entries shows the best and says how many more there are", () => {
  const many = Array.from({ length: 20 }, (_, index) => entry("Tools", `tool${index}`, "#"));
  const [tools, other] = groupEntries([...many, entry("Calls", "tool", "#")]);
  assert.deepEqual([tools?.entries.length, tools?.more, other?.kind], [8, 12, "Calls"]);
});

/** @param {string} key @param {object} [held] */
const press = (key, held = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...held });
const FREE = { isTyping: false, afterG: false, keysOn: true };

test("the palette opens from a text field too, single keys do not", () => {
  const typing = { ...FREE, isTyping: true };
  assert.equal(commandOf(press("k", { ctrlKey: true }), typing), "palette");
  assert.equal(commandOf(press("K", { ctrlKey: true }), typing), "palette");
  for (const key of ["?", "/", "g"]) {
    assert.equal(commandOf(press(key), typing), null);
    assert.equal(typeof commandOf(press(key), FREE), "string");
  }
});

test("single keys can be switched off, and belong to the browser with Ctrl or Alt", () => {
  assert.equal(commandOf(press("/"), { ...FREE, keysOn: false }), null);
  assert.equal(commandOf(press("k", { ctrlKey: true }), { ...FREE, keysOn: false }), "palette");
  assert.equal(commandOf(press("g", { ctrlKey: true }), FREE), null);
  assert.equal(commandOf(press("?", { altKey: true }), FREE), null);
});

test("a key that an input method composes with is no command", () => {
  assert.equal(commandOf(press("k", { ctrlKey: true, isComposing: true }), FREE), null);
});

test("after g a letter opens a section, each its own, and all are listed", () => {
  const pairs = listShortcuts().filter(([keys]) => keys.startsWith("g "));
  const sections = pairs.map(([keys]) => commandOf(press(keys.slice(2)), { ...FREE, afterG: true }));
  assert.equal(new Set(sections.map((found) => JSON.stringify(found))).size, 7);
  assert.deepEqual(commandOf(press("t"), { ...FREE, afterG: true }), { section: "tools" });
  assert.equal(commandOf(press("t"), FREE), null);
});
