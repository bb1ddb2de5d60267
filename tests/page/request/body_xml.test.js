// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeXml } from "../../../static/request/body_xml.js";
import { RequestError } from "../../../static/request/request_error.js";

test("without a description every member is an element of its name", () => {
  const value = { id: 1n, name: "a<b&c", tags: ["x", "y"], none: null, flag: true };
  assert.equal(writeXml(value, { name: "pet" }), "<pet><id>1</id><name>a&lt;b&amp;c</name><tags>x</tags><tags>y</tags><flag>true</flag></pet>");
});

test("attributes, prefixes and namespaces stand where the document puts them", () => {
  const node = {
    name: "Person",
    prefix: "s",
    namespace: "http://example.com/schema/sample",
    properties: [
      { property: "id", name: "id", node: /** @type {const} */ ("attribute") },
      { property: "name", name: "name", prefix: "s", namespace: "http://example.com/schema/sample" },
      { property: "lang", name: "lang", prefix: "x", namespace: "urn:x", node: /** @type {const} */ ("attribute") },
    ],
  };
  assert.equal(
    writeXml({ id: 'a"\n', name: "example", lang: "de" }, node),
    '<s:Person xmlns:s="http://example.com/schema/sample" id="a&quot;&#10;" xmlns:x="urn:x" x:lang="de"><s:name>example</s:name></s:Person>',
  );
});

test("arrays are wrapped or repeated, and items may have a name of their own", () => {
  const items = { name: "animal" };
  const node = (/** @type {object} */ change) => ({ name: "zoo", properties: [{ property: "animals", name: "aliens", ...change }] });
  const zoo = { animals: ["a", "b"] };
  assert.equal(writeXml(zoo, node({ items })), "<zoo><animal>a</animal><animal>b</animal></zoo>");
  assert.equal(writeXml(zoo, node({ items, wrapped: true })), "<zoo><aliens><animal>a</animal><animal>b</animal></aliens></zoo>");
  assert.equal(writeXml(zoo, node({ wrapped: true })), "<zoo><aliens><aliens>a</aliens><aliens>b</aliens></aliens></zoo>");
  assert.equal(writeXml(["a"], { name: "list", items: { name: "item" } }), "<list><item>a</item></list>");
});

test("text and CDATA nodes, and content without an element of its own", () => {
  const node = {
    name: "doc",
    properties: [
      { property: "kind", node: /** @type {const} */ ("attribute"), name: "kind" },
      { property: "text", node: /** @type {const} */ ("text") },
      { property: "code", node: /** @type {const} */ ("cdata") },
      { property: "inner", node: /** @type {const} */ ("none") },
    ],
  };
  const value = { kind: "k", text: "<", code: "a]]>b", inner: { x: 1 } };
  assert.equal(writeXml(value, node), '<doc kind="k">&lt;<![CDATA[a]]]]><![CDATA[>b]]><x>1</x></doc>');
});

test("an element that is written already is sent as it is; other text is escaped", () => {
  assert.equal(writeXml(" <a/>", { name: "r" }), " <a/>");
  assert.equal(writeXml("a < b", { name: "r" }), "<r>a &lt; b</r>");
  assert.equal(writeXml({}, { name: "r" }), "<r/>");
});

test("names and characters that XML does not know are refused", () => {
  for (const value of /** @type {any[]} */ ([{ "a b": 1 }, { "1a": 1 }, { a: "\u0000" }, { a: "\ud800" }]))
    assert.throws(() => writeXml(value, { name: "r" }), RequestError);
});
