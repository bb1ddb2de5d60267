// @ts-check
/** Drawings in the text's colour; the words beside them say what they mean, so they are not read out. */

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} drawing a path of strokes in a square of 24 @returns {SVGElement} */
export function icon(drawing) {
  const picture = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", drawing);
  for (const [name, value] of Object.entries({ class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" })) picture.setAttribute(name, value);
  picture.append(path);
  return picture;
}
