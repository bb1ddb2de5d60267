// @ts-check
/** Markdown as a tree: nothing in it can run, load from elsewhere or lead where a page must not. */
import assert from "node:assert/strict";
import test from "node:test";
import { withoutMarkers } from "../../../static/ui/markers.js";
import { stabilizeMarkdown, parseMarkdown } from "../../../static/markdown/markdown.js";

/** @typedef {import("../../../static/types/chat_types.js").MarkdownNode} MarkdownNode */

/** @param {MarkdownNode} node @returns {string} short: `p(text strong(more))` */
const short = (node) => (typeof node === "string" ? node : `${node.tag}${attributes(node.attributes)}(${node.children.map(short).join(" ")})`);
/** @param {Record<string, string>} [given] */
const attributes = (given = {}) => Object.entries(given).filter(([name]) => !["rel", "target"].includes(name)).map(([name, value]) => `[${name}=${value}]`).join("");
/** @param {string} text */
const tree = (text) => parseMarkdown(text).map(({ node }) => short(node)).join(" ");

test("the usual marks become elements", () => {
  assert.equal(tree("# One\n\nTwo **three** `four` ~~five~~\nsix"), "h3(One) p(Two  strong(three)   code(four)   s(five) \nsix)");
  assert.equal(tree("- a\n- b\n  1. c"), "ul(li(a) li(b ol(li(c))))");
  assert.equal(tree("3. a"), "ol[start=3](li(a))");
  assert.equal(tree("> q\n\n---"), "blockquote(p(q)) hr()");
  assert.equal(tree("```python\nx = 1\n```"), "pre[language=python](x = 1)");
  assert.equal(tree("| a | b |\n|---|--:|\n| 1 | 2 |"), "table(thead(tr(th(a) th[class=align-right](b))) tbody(tr(td(1) td[class=align-right](2))))");
});

test("HTML is text, whatever it looks like", () => {
  assert.equal(tree("<script>alert(1)</script>"), "p(<script>alert(1)</script>)");
  assert.equal(tree('a <img src=x onerror="alert(1)"> b'), 'p(a <img src=x onerror="alert(1)"> b)');
  assert.equal(tree("&lt;b&gt; &amp; &copy;"), "p(<b> & ©)");
});

test("characters named in HTML 4 or numbered are those, and any other name stays as it is written", () => {
  assert.equal(tree("&eacute;&hellip;&Omega;&euro;&nbsp;&quot;&apos;&frac12;&diams;"), "p(é…Ω€\u00A0\"'½♦)");
  assert.equal(tree("&#233;&#xE9;&#0;"), "p(éé\uFFFD)");
  assert.equal(tree("&CounterClockwiseContourIntegral; &constructor; &eacute"), "p(&CounterClockwiseContourIntegral; &constructor; &eacute)");
  assert.doesNotMatch(tree("[x](javascript&colon;alert(1))"), /a\[href/);
});

test("links lead to http, https and mailto only, and tell nobody where they come from", () => {
  const [{ node }] = parseMarkdown("[a](https://a.example/x)");
  const [anchor] = node.children;
  assert.deepEqual(anchor, {
    tag: "a",
    attributes: { href: "https://a.example/x", rel: "noopener noreferrer", target: "_blank" },
    children: ["a"],
  });
  assert.equal(tree("see https://a.example/b."), "p(see  a[href=https://a.example/b](https://a.example/b) .)");
  for (const href of ["javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc", "//evil.example", "#/devices", "/api/keys", "blob:x", "java&#10;script:x"]) {
    assert.doesNotMatch(tree(`[x](${href})`), /a\[href/, href);
  }
});

test("pictures come from the page itself or from the text; any other is a link", () => {
  assert.equal(tree("![cat](/answers/1?s=2)"), "p(img[src=/answers/1?s=2][alt=cat]())");
  assert.match(tree("![cat](data:image/png;base64,AAAA)"), /img\[src=data:image\/png/);
  assert.equal(tree("![cat](https://elsewhere.example/x.png)"), "p(a[href=https://elsewhere.example/x.png](cat))");
  for (const src of ["//evil.example/x.png", "data:image/svg+xml,<svg/>", "javascript:x"]) assert.doesNotMatch(tree(`![x](${src})`), /img/, src);
});

test("blocks say where they begin, so that those before the last can be left alone", () => {
  assert.deepEqual(parseMarkdown("one\n\n- two\n- three\n\nfour").map(({ line }) => line), [0, 2, 5]);
});

test("half written marks look like what they will be", () => {
  const cases = [
    ["Intro:\n-", "Intro:\n"],
    ["Intro\n==", "Intro\n"],
    ["a **bo", "a **bo**"],
    ["a **bold** b", "a **bold** b"],
    ["a `co", "a `co`"],
    ["see [the", "see the"],
    ["see [the docs](https://a.exa", "see the docs"],
    ["x\n\n| a | b |", "x\n\n"],
    ["x\n\n| a | b |\n|--", "x\n\n"],
    ["| a |\n|---|\n| 1", "| a |\n|---|\n"],
    ["1.", ""],
  ];
  for (const [half, calm] of cases) assert.equal(stabilizeMarkdown(half), calm, half);
});

test("in code that is not closed yet nothing is taken away but the half fence", () => {
  assert.equal(stabilizeMarkdown("```\n# a **b [c"), "```\n# a **b [c");
  assert.equal(stabilizeMarkdown("```\ncode\n``"), "```\ncode\n");
});

test("long texts that mean harm take time in proportion to their length", () => {
  const bombs = ["[", "![", "**a ", "a**b", "> ", "- ", "`", "<", "[a](", "|a", "_a_", "  \n"];
  const begin = performance.now();
  for (const bomb of bombs) parseMarkdown(stabilizeMarkdown(bomb.repeat(20_000)));
  assert.ok(performance.now() - begin < 8_000);
});

test("markers of kept items are never seen, not even while they are written", () => {
  const id = "01JD3ZK8QX5T9V7WYBCDEFGHJKMN".slice(0, 28);
  assert.equal(withoutMarkers(`Hello\n\n[tb:${id}]: #\n\nWorld`), "Hello\n\n\nWorld");
  assert.equal(withoutMarkers("a\u2063" + "\u200B".repeat(70) + "\u2064b"), "ab");
  assert.equal(withoutMarkers("Hello\n[tb:01J", true), "Hello");
  assert.equal(withoutMarkers("Hello\n[tb:01J"), "Hello\n[tb:01J");
  assert.equal(withoutMarkers("👩\u200D🚀 [x]: #"), "👩\u200D🚀 [x]: #");
});
