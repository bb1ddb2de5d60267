// @ts-check
/**
 * A page that an API answered with, shown without ever being part of this page: in a frame whose sandbox runs no script, sends no
 * form and opens nothing. The browser's own sanitizer builds it, and a policy in the frame loads nothing from anywhere.
 */
import { t, verbatim } from "../base/language.js";
import { el } from "../ui/dom.js";

/** Older browsers have no sanitizer: they show the text. */
export const canShowHtml = () => typeof Element !== "undefined" && "setHTML" in Element.prototype;

/** @param {string} html */
export function htmlFrame(html) {
  const frame = el("iframe", {
    class: "html-frame",
    sandbox: "allow-same-origin",
    title: t`The page the API answered with`,
  });
  frame.addEventListener("load", () => showPage(frame.contentDocument, html)); // also when it is put somewhere else
  const hint = t`Without its scripts, styles, and anything it would load from elsewhere.`;
  return el("div", null, frame, el("p", { class: "hint" }, hint));
}

/** @param {Document | null} page @param {string} html */
function showPage(page, html) {
  if (page === null) return;
  const policy = page.createElement("meta");
  policy.httpEquiv = verbatim("Content-Security-Policy");
  policy.content = verbatim("default-src 'none'; img-src data:");
  page.head.append(policy);
  const body = /** @type {HTMLElement & {setHTML(html: string): void}} */ (page.body);
  body.setHTML(html);
  for (const link of body.querySelectorAll("a[href]")) link.removeAttribute("href"); // it would take the frame elsewhere
}
