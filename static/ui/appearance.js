// @ts-check
/**
 * What the user chose for this browser: theme, density and accent, which `static/appearance.js` applies before the first paint, and
 * whether keys without Ctrl or Alt are shortcuts. They can be switched off, as WCAG 2.1.4 asks: who speaks to the computer
 * sends letters that he does not mean as commands.
 */

import { ownName } from "../base/bridge_paths.js";
import { t } from "../base/language.js";
import { el } from "./dom.js";

/** @typedef {"" | "blue" | "violet" | "magenta" | "graphite"} Accent  "" = teal */
/** @typedef {{theme: "" | "light" | "dark", density: "" | "compact", accent: Accent}} Appearance  "" = as the system; comfortable */

const CHANGED = "tool-bridge-appearance";
const KEY = ownName(CHANGED);
const SINGLE_KEYS = ownName("tool-bridge-single-keys");

/** @returns {Appearance} */
export function readAppearance() {
  const { theme = "", density = "", accent = "" } = document.documentElement.dataset;
  return /** @type {Appearance} */ ({ theme, density, accent });
}

/** Holds for all tabs of this browser, from now on. Without storage: for this tab. @param {Partial<Appearance>} change */
export function changeAppearance(change) {
  const chosen = { ...readAppearance(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen));
    dispatchEvent(new Event(CHANGED));
  } catch {
    Object.assign(document.documentElement.dataset, chosen);
  }
}

/** Whether keys without Ctrl or Alt are shortcuts. @returns {boolean} */
export function areKeysOn() {
  try {
    return localStorage.getItem(SINGLE_KEYS) !== "off";
  } catch {
    return true;
  }
}

/** In this browser, from the next key on; without storage nothing changes. @param {boolean} isOn */
function switchKeys(isOn) {
  try {
    if (isOn) localStorage.removeItem(SINGLE_KEYS);
    else localStorage.setItem(SINGLE_KEYS, "off");
  } catch {
    // The browser keeps nothing for this page.
  }
}

/** The switch of these keys, wherever it stands. @returns {HTMLLabelElement} */
export function singleKeysSwitch() {
  /** @type {HTMLInputElement} */
  const box = el("input", { type: "checkbox", checked: areKeysOn(), onchange: () => switchKeys(box.checked) });
  return el("label", { class: "check" }, box, el("span", null, t`Shortcuts of a single key, such as / and ?`));
}
