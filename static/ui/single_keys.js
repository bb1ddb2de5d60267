// @ts-check
/**
 * Whether keys without Ctrl or Alt are shortcuts. They can be switched off, as WCAG 2.1.4 asks: who speaks to the
 * computer sends letters that he does not mean as commands.
 */

const KEY = "tool-bridge-single-keys";

/** @returns {boolean} */
export function areKeysOn() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

/** In this browser, from the next key on; without storage nothing changes. @param {boolean} isOn */
export function switchKeys(isOn) {
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    // The browser keeps nothing for this page.
  }
}
