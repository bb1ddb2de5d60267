// @ts-check
/** What a user brought on another view, until the view that adds it takes it: it may be files, which no address holds. */
import { goTo } from "../ui/router.js";

/** @typedef {{text: string} | {files: Promise<import("../documents/file_picker.js").Chosen[]>}} Material */

/** @type {Material | null} */
let waiting = null;

/** Opens the view that adds it. @param {Material} material */
export function bringMaterial(material) {
  waiting = material;
  goTo("add");
}

/** @returns {Material | null} once */
export function takeMaterial() {
  const material = waiting;
  waiting = null;
  return material;
}
