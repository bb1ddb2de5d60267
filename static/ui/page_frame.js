// @ts-check
/** What stands in the document before any script runs is English: it is translated first of all. */
import { directionOf, language, t } from "../base/language.js";

/** Selector, attribute (none: the text), and its text. @type {[string, string, string][]} */
const FRAME = [
  [".skip", "", t`Skip to the content`],
  ["#sections", "aria-label", t`Sections`],
  ["#open-palette > span", "", t`Search`],
  ["#connection", "", t`Connecting…`],
  ["#main > .hint", "", t`Opening the bridge…`],
];

/** @param {Document} page */
export function translateFrame(page) {
  page.documentElement.lang = language;
  page.documentElement.dir = directionOf(language);
  for (const [selector, attribute, text] of FRAME) {
    const element = page.querySelector(selector);
    if (attribute) element?.setAttribute(attribute, text);
    else if (element) element.textContent = text;
  }
}
