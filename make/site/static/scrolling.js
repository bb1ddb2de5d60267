/** Whoever has no mouse scrolls a wide table or a long line by the arrow keys, once it has the focus. */
for (const box of document.querySelectorAll("article :is(.table-wrapper, pre)")) {
  if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
}
