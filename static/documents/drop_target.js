// @ts-check

/**
 * Takes what is dropped on an element, which is marked while something is held above it.
 * @param {HTMLElement} element
 * @param {(dropped: DataTransfer) => void} take reads it at once: it is empty later
 */
export function takeDrops(element, take) {
  const mark = (/** @type {boolean} */ isOver) => element.classList.toggle("over", isOver);
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  element.addEventListener("dragleave", () => mark(false));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    if (event.dataTransfer) take(event.dataTransfer);
  });
}
