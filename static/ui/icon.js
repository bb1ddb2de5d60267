// @ts-check
/** Icons and drawings in the text's colour; the words beside them say what they mean, so they are not read out. */

/** @typedef {import("../types/icon_names.d.ts").IconName} IconName */

const SVG = "http://www.w3.org/2000/svg";
/** Of this version of the page: built, this module is in another folder. */
const FILES = import.meta.url.replace(/(\/static\/[^/]+\/).*$/, "$1");
/** One file for all of them, which `make/take_icons.py` writes. */
const ICONS = `${FILES}vendor/lucide-1.62.0.svg`;

/** @param {string} name of an SVG element @param {Record<string, string | number>} attributes @returns {SVGElement} */
export function drawSvg(name, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}

/** @param {IconName} name @returns {SVGElement} */
export function icon(name) {
  const picture = drawSvg("svg", { class: "icon", "aria-hidden": "true" });
  picture.append(drawSvg("use", { href: `${ICONS}#${name}` }));
  return picture;
}
