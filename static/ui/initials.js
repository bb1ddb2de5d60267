// @ts-check
/** What stands for the picture of an API: one or two letters of its title. None is fetched, which would tell its server of this page. */
import { el } from "./dom.js";

/** @param {string} title @returns {string} at most two letters or digits */
export function initialsOf(title) {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.slice(0, 2).map((word) => [...word][0]);
  return letters.join("").toUpperCase();
}

/** @param {string} title of an API @param {"" | "tiny"} [size] */
export function initialsMark(title, size = "") {
  return el("span", { class: `initials ${size}`.trim(), "aria-hidden": "true" }, initialsOf(title));
}
