// @ts-check
/** What stands around the views before any script runs: its texts, the link past it, and links that arrive in its tab. */
import { directionOf, language, t } from "../base/language.js";

/** Selector, attribute (none: the text), and its text. @type {[string, string, string][]} */
const FRAME = [
  [".skip", "", t`Skip to the content`],
  ["#sections", "aria-label", t`Sections`],
  ["#open-palette > span", "", t`Search`],
  ["#connection", "", t`Connecting…`],
  ["#main > .hint", "", t`Opening the bridge…`],
];

/** It is English, and translated first of all. @param {Document} page */
export function translateFrame(page) {
  page.documentElement.lang = language;
  page.documentElement.dir = directionOf(language);
  for (const [selector, attribute, text] of FRAME) {
    const element = page.querySelector(selector);
    if (attribute) element?.setAttribute(attribute, text);
    else if (element) element.textContent = text;
  }
}

/** The skip link moves the focus without touching the address, which belongs to the views. @param {Document} page */
export function prepareSkipLink(page) {
  page.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    page.getElementById("main")?.focus();
  });
}

/** A printed link pasted into a tab that shows the page only changes the address: nothing would be entered. */
export function followPastedLinks() {
  window.addEventListener("hashchange", () => {
    if (new URLSearchParams(location.hash.slice(1)).has("ticket")) location.reload();
  });
}
