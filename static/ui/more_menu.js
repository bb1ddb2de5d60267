// @ts-check
/** Further actions behind three dots. It closes by Escape, by a press elsewhere, and when the focus leaves it. */
import { el } from "./dom.js";
import { icon } from "./icon.js";

const DOTS = "M6 12h.01M12 12h.01M18 12h.01";

/** @param {string} label what it is about @param {HTMLElement[]} items */
export function moreMenu(label, items) {
  const summary = el("summary", { class: "button quiet small", "aria-label": label, title: label }, icon(DOTS));
  const menu = el("details", { class: "more-menu" }, summary, el("div", { class: "more-items" }, ...items));
  const close = () => (menu.open = false);
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) close();
  });
  /** @type {AbortController | null} */
  let listening = null;
  menu.addEventListener("toggle", () => {
    listening?.abort();
    listening = menu.open ? new AbortController() : null;
    const elsewhere = (/** @type {Event} */ { target }) => !menu.contains(/** @type {Node} */ (target)) && close();
    if (listening) document.addEventListener("pointerdown", elsewhere, { signal: listening.signal });
  });
  return menu;
}
