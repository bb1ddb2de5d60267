// @ts-check
/** Further actions behind three dots. It closes by Escape, by a press elsewhere, and when the focus leaves it. */
import { el } from "./dom.js";

/** @param {string} label what it is about @param {HTMLElement[]} actions */
export function moreMenu(label, actions) {
  const summary = el("summary", { class: "button quiet small", "aria-label": label, title: label, icon: "ellipsis" });
  const items = el("div", { class: "more-items" }, ...actions);
  const menu = el("details", { class: "more-menu" }, summary, items);
  const close = () => (menu.open = false);
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  items.addEventListener("click", () => {
    if (items.contains(document.activeElement)) summary.focus(); // it would be lost with what is hidden
    close();
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
