// @ts-check
/** Icons and drawings in the text's colour; the words beside them say what they mean, so they are not read out. */

/** @typedef {import("../types/icon_names.d.ts").IconName} IconName */
/** @typedef {"no-apis" | "no-calls" | "no-conversations" | "no-devices" | "no-hits"} Drawing */

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

/** @param {string} look @param {string} address @returns {SVGElement} */
function pictureOf(look, address) {
  const picture = drawSvg("svg", { class: look, "aria-hidden": "true" });
  picture.append(drawSvg("use", { href: address }));
  return picture;
}

/** @param {IconName} name */
export const icon = (name) => pictureOf("icon", `${ICONS}#${name}`);

/** What stands where there is nothing yet; each is a file of its own, loaded where it is seen. @param {Drawing} name */
export const drawing = (name) => pictureOf("drawing", `${FILES}drawings/${name}.svg#drawing`);
