// @ts-check
/** Drawings in the text's colour; the words beside them say what they mean, so they are not read out. */

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name of an SVG element @param {Record<string, string | number>} attributes @returns {SVGElement} */
export function drawSvg(name, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}

/** @param {string} drawing a path of strokes in a square of 24 @returns {SVGElement} */
export function icon(drawing) {
  const picture = drawSvg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" });
  picture.append(drawSvg("path", { d: drawing }));
  return picture;
}
