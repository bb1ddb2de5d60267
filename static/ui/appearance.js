// @ts-check
/** The user's choice of theme and density; `static/appearance.js` applies it before the first paint. */

/** @typedef {{theme: "" | "light" | "dark", density: "" | "compact"}} Appearance  "" = as the system; comfortable */

const KEY = "tool-bridge-appearance";

/** @returns {Appearance} */
export function readAppearance() {
  const { theme = "", density = "" } = document.documentElement.dataset;
  return /** @type {Appearance} */ ({ theme, density });
}

/** Holds for all tabs of this browser, from now on. Without storage: for this tab. @param {Partial<Appearance>} change */
export function changeAppearance(change) {
  const chosen = { ...readAppearance(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen));
    dispatchEvent(new Event(KEY));
  } catch {
    Object.assign(document.documentElement.dataset, chosen);
  }
}
