// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeReserved, encodeStrict, writeParameter } from "../../../static/request/parameter_style.js";

const STRING = "blue";
const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

/** [in, style, explode, value, expected]: the tables of OpenAPI 3.0.4, 3.1.2 and 3.2.0, "Style Examples". */
const TABLE = /** @type {["path" | "query" | "header", string, boolean, any, string | null][]} */ ([
  ["path", "matrix", false, "", ";color"],
  ["path", "matrix", false, STRING, ";color=blue"],
  ["path", "matrix", false, ARRAY, ";color=blue,black,brown"],
  ["path", "matrix", false, OBJECT, ";color=R,100,G,200,B,150"],
  ["path", "matrix", true, "", ";color"],
  ["path", "matrix", true, STRING, ";color=blue"],
  ["path", "matrix", true, ARRAY, ";color=blue;color=black;color=brown"],
  ["path", "matrix", true, OBJECT, ";R=100;G=200;B=150"],
  ["path", "label", false, "", "."],
  ["path", "label", false, STRING, ".blue"],
  ["path", "label", false, ARRAY, ".blue,black,brown"],
  ["path", "label", false, OBJECT, ".R,100,G,200,B,150"],
  ["path", "label", true, ARRAY, ".blue.black.brown"],
  ["path", "label", true, OBJECT, ".R=100.G=200.B=150"],
  ["path", "simple", false, "", ""],
  ["path", "simple", false, STRING, "blue"],
  ["path", "simple", false, ARRAY, "blue,black,brown"],
  ["path", "simple", false, OBJECT, "R,100,G,200,B,150"],
  ["path", "simple", true, ARRAY, "blue,black,brown"],
  ["path", "simple", true, OBJECT, "R=100,G=200,B=150"],
  ["header", "simple", false, ARRAY, "blue,black,brown"],
  ["header", "simple", true, OBJECT, "R=100,G=200,B=150"],
  ["query", "form", false, "", "color="],
  ["query", "form", false, STRING, "color=blue"],
  ["query", "form", false, ARRAY, "color=blue,black,brown"],
  ["query", "form", false, OBJECT, "color=R,100,G,200,B,150"],
  ["query", "form", true, "", "color="],
  ["query", "form", true, STRING, "color=blue"],
  ["query", "form", true, ARRAY, "color=blue&color=black&color=brown"],
  ["query", "form", true, OBJECT, "R=100&G=200&B=150"],
  ["query", "spaceDelimited", false, ARRAY, "color=blue%20black%20brown"],
  ["query", "spaceDelimited", false, OBJECT, "color=R%20100%20G%20200%20B%20150"],
  ["query", "pipeDelimited", false, ARRAY, "color=blue%7Cblack%7Cbrown"],
  ["query", "pipeDelimited", false, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["query", "deepObject", true, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
]);

/** Where the specification is silent ("n/a"), what we write: whatever most servers read. */
const OUR_CHOICES = /** @type {typeof TABLE} */ ([
  ["query", "spaceDelimited", false, STRING, "color=blue"],
  ["query", "pipeDelimited", true, ARRAY, "color=blue&color=black&color=brown"],
  ["query", "deepObject", true, STRING, "color=blue"],
  ["query", "deepObject", false, { a: { b: ["x", "y"] } }, "color%5Ba%5D%5Bb%5D%5B0%5D=x&color%5Ba%5D%5Bb%5D%5B1%5D=y"],
  ["query", "form", true, [{ a: 1 }], "color=%7B%22a%22%3A1%7D"],
  ["query", "simple", true, STRING, "color=blue"],
  ["path", "form", true, STRING, "blue"],
]);

/** RFC 6570 "undefined": nothing to write. */
const UNDEFINED = /** @type {typeof TABLE} */ ([
  ["path", "label", true, {}, null],
  ["query", "form", true, [], null],
  ["query", "form", false, {}, null],
  ["query", "form", true, [null], null],
  ["query", "deepObject", true, { a: null }, "color%5Ba%5D=null"],
  ["header", "simple", false, [], null],
]);

for (const [location, style, explode, value, expected] of [...TABLE, ...OUR_CHOICES, ...UNDEFINED]) {
  test(`${style}, explode ${explode}, in ${location}: ${JSON.stringify(value)} is written ${expected}`, () => {
    assert.equal(writeParameter(value, { name: "color", in: location, style, explode }), expected);
  });
}

test("every primitive is written as it reads, integers beyond 2^53 included", () => {
  const parameter = /** @type {const} */ ({ name: "n", in: "query", style: "form", explode: false });
  assert.equal(writeParameter([0, -1.5, true, 12345678901234567890n, "ü &"], parameter), "n=0,-1.5,true,12345678901234567890,%C3%BC%20%26");
});

test("names are percent-encoded too: page[size] and $top are not legal in a query as they stand", () => {
  assert.equal(writeParameter(1, { name: "page[size]", in: "query" }), "page%5Bsize%5D=1");
  assert.equal(writeParameter({ "a b": 1 }, { name: "$top", in: "query", style: "deepObject" }), "%24top%5Ba%20b%5D=1");
});

test("only unreserved characters stay, so that no server sees a delimiter that was data", () => {
  assert.equal(encodeStrict("a-._~b!'()*,;:@&=+$/?#[]% \u{1F43B}\uD800"), "a-._~b%21%27%28%29%2A%2C%3B%3A%40%26%3D%2B%24%2F%3F%23%5B%5D%25%20%F0%9F%90%BB%EF%BF%BD");
});

test("allowReserved keeps reserved characters and existing triples, but nothing that would end the query", () => {
  assert.equal(encodeReserved("query")("a/b?c=x+y&d[0]:%2F %zz#e"), "a/b?c=x+y&d[0]:%2F%20%25zz%23e");
});

test("in a path allowReserved does not let a value add segments or start the query", () => {
  assert.equal(encodeReserved("path")("a/b?c#d;e=f,%2F"), "a%2Fb%3Fc%23d;e=f,%2F");
});

test("header values are text, not URI parts (OpenAPI 3.1.2, 4.8.12.2.2)", () => {
  assert.equal(writeParameter('W/"50%", en', { name: "If-Match", in: "header" }), 'W/"50%", en');
});
