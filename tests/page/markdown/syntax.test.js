// @ts-check
/** Colours of code: what counts as what, that nothing is lost, that no text takes long, and that the colours can be read. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { COLORED_CHARS, tokensOf } from "../../../static/markdown/syntax.js";

/** @param {string} text @param {string} language */
const seen = (text, language) => tokensOf(text, language).map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);

/** @type {[string, string, string[]][]} */
const EXAMPLES = [
  ["json", '{"a": [1.5e3, "b:", true]}', ['name "a"', "number 1.5e3", 'string "b:"', "number true"]],
  ["python", "@x\nasync def f(a):  # say\n    return f'''it's''' + r'\\'' if None else 0x1F", ["name @x", "keyword async", "keyword def", "name f", "comment # say", "keyword return", "string f'''it's'''", "string r'\\''", "keyword if", "number None", "keyword else", "number 0x1F"]],
  ["ts", "const re = /a\\/b/g; // no\nlet s: string = `x ${1}` /* y */", ["keyword const", "string /a\\/b/g", "comment // no", "keyword let", "keyword string", "string `x ${1}`", "comment /* y */"]],
  ["js", "a / b / c", []],
  ["bash", 'if [ "$A" ]; then curl -X POST $URL # go', ["keyword if", 'string "$A"', "keyword then", "keyword curl", "number -X", "name $URL", "comment # go"]],
  ["html", '<!-- no --><a href="x>y">&amp;</a>', ["comment <!-- no -->", "keyword <a", "name href", 'string "x>y"', "keyword >", "number &amp;", "keyword </a", "keyword >"]],
  ["css", "@media x { .a:hover { color: #fff; --w: 2px } }", ["keyword @media", "name color", "number #fff", "name --w", "number 2px"]],
  ["SQL", "select count(*) from \"t\" where a = 'it''s' -- all", ["keyword select", "keyword from", 'name "t"', "keyword where", "string 'it''s'", "comment -- all"]],
  ["yaml", "a b: yes # c\n- 'd': \"e\"\n- url: http://x:80\n- &n 12", ["name a b", "number yes", "comment # c", "name 'd'", 'string "e"', "name url", "keyword &n", "number 12"]],
];

for (const [language, text, tokens] of EXAMPLES) test(`${language} is told apart: ${text.slice(0, 24)}`, () => assert.deepEqual(seen(text, language), tokens));

test("a language that is not known, and a text that is too long, have no colours", () => {
  assert.deepEqual(tokensOf("if x", "brainfuck"), []);
  assert.deepEqual(tokensOf("1", "constructor"), []);
  assert.deepEqual(tokensOf("1 ".repeat(COLORED_CHARS), "json"), []);
});

test("stretches are in order and do not overlap, whatever the text", () => {
  const odd = "\"a\\\n'''`${<a b='>/*--#!@&x: |\n-  ? // /[/ </ \u2028 é\u0000";
  for (const [language] of EXAMPLES) {
    let last = 0;
    for (const { start, end } of tokensOf(odd.repeat(20), language)) {
      assert.ok(start >= last && end > start, language);
      last = end;
    }
  }
});

test("no text takes long: time grows with its length", () => {
  const pieces = ['"', "'", "`", "<a '", '<a "', "/*", "=/[", " ", "- ", "\\", "a:", "<!--", "--", "{", "\n", "'''", "=/a", "f\"", "#", "${"];
  const begin = performance.now();
  for (const [language] of EXAMPLES) for (const piece of pieces) tokensOf(piece.repeat(Math.floor(COLORED_CHARS / piece.length)), language);
  assert.ok(performance.now() - begin < 8000, `${performance.now() - begin} ms`);
});

/** Relative luminance of WCAG. @param {string} hex */
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test("every colour of code stands out from its ground, in light and dark", () => {
  const style = ["styles/tokens.css", "markdown/markdown.css"].map((name) => readFileSync(new URL(`../../../static/${name}`, import.meta.url), "utf8")).join("");
  const pair = (/** @type {string} */ name) => new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(style)?.slice(1) ?? [];
  const used = [...style.matchAll(/::highlight\(code-\w+\) \{\s*color: var\(--(\w+)\)/g)].map(([, name]) => name);
  assert.equal(used.length, 5);
  const ground = pair("sunken").map(luminance);
  for (const name of used) {
    pair(name).map(luminance).forEach((light, scheme) => {
      const [low, high] = [light, ground[scheme]].sort((a, b) => a - b);
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${name} ${scheme}`);
    });
  }
});
