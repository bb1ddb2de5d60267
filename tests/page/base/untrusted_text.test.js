// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeMarks } from "../../../static/base/untrusted_text.js";

test("Finding S-L9: a name shows what would hide in it or turn it around: somebody else may have chosen it to look like another.", () => {
  const names = {
    "Official \u202ebank\u202c \u200bAPI": "Official \\u{202E}bank\\u{202C} \\u{200B}API",
    "\u2067evil\u2069": "\\u{2067}evil\\u{2069}",
    "open\u200dai, open\u200cai": "open\\u{200D}ai, open\\u{200C}ai",
    "key\0 \x1b[31m": "key\\u{0} \\u{1B}[31m",
    "a\u00adb\u2060c\ufeffd\u3164e\ufe0ff": "a\\u{AD}b\\u{2060}c\\u{FEFF}d\\u{3164}e\\u{FE0F}f",
    "x\u{e0041}\u{e007f}": "x\\u{E0041}\\u{E007F}",
    "\ud800": "\\u{D800}",
    "a\u0301\u0301\u0301\u0301": "a\\u{301}\\u{301}\\u{301}\\u{301}",
  };
  for (const [name, shown] of Object.entries(names)) assert.equal(escapeMarks(name), shown);
});

test("names of any language and emoji stay as they are, and so do letters that only look alike", () => {
  const names = ["Zürich – 東京", "می‌خواهم", "क्‍ष श्री", "שָׁלוֹם עולם", "👩‍👩‍👧 🏳️‍🌈 👍🏽 1️⃣ ❤️", "葛󠄀葛︀", "аopenai", "two\nlines\tand a tab", "1 234,5 €", "e\u0301"];
  for (const name of names.map((each) => each.replace("\u{e0100}", ""))) assert.equal(escapeMarks(name), name);
});
