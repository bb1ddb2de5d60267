// @ts-check
/** Hints are written for models, in English; people read them in the page's language. */
import assert from "node:assert/strict";
import test from "node:test";
import { labelHints } from "../../../static/forms/hint_labels.js";

const SAID = [
  "Length 1–80.",
  "Number of items 1–20.",
  "Number of keys >= 1.",
  "Value >= 1.",
  "Value < 2.5e+3.",
  "Value -5–10.",
  "Multiple of 0.5.",
  "Must be: tea.",
  "One of: tea, \"Default: x.\", … (900 values).",
  "Default: 1. or 2.",
  "Pattern: `^a. Example: b$`.",
  "Format: date-time.",
  "Encoding: base64.",
  "Content: image/png.",
  "Example: A b. C.",
  "Needs exactly one of: `a` and `b`; `c`.",
  "Needs at least one of: `a`; `b`.",
  "No item twice.",
  "Deprecated.",
  "Required when a body is sent.",
  "May be null.",
];

test("Finding page F19: each sentence about a limit is known, so that it has its German", () => {
  for (const sentence of SAID) {
    assert.equal(labelHints(`What it is. ${sentence}`), `What it is. ${sentence}`);
    assert.equal(labelHints(sentence), sentence);
  }
  const several = "What it is. One of: a, b. Default: a. Length 1–80. May be null.";
  assert.equal(labelHints(several), several);
  assert.equal(labelHints("Two\nlines.\nLength 1."), "Two\nlines.\nLength 1.");
});

test("a text of the document stays as it is", () => {
  for (const text of ["", "The Length 1–80. is what counts", "Who pays", "See Example: 3"]) assert.equal(labelHints(text), text);
});
