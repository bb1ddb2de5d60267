// @ts-check
/**
 * The theme, density and accent that the user chose in this browser. A classic script, because it must run before the first
 * paint: a page that starts light and turns dark blinds who sits in the dark.
 */
(() => {
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
  /** Below a path prefix the name begins with it, as `ownName` of base/bridge_paths.js says, which this cannot import. */
  const prefix = new URL(src).pathname.replace(/\/static\/[^/]+\/[^/]+$/, "");
  const KEY = prefix === "" ? "tool-bridge-appearance" : `${prefix}:tool-bridge-appearance`;
  const CHOICES = { theme: ["light", "dark"], density: ["compact"], accent: ["blue", "violet", "magenta", "graphite"] };

  /** @returns {Record<string, unknown>} */
  function readChoice() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
    } catch {
      return {}; // no storage, or not ours: the page looks as the system does
    }
  }

  function apply() {
    const chosen = readChoice();
    for (const [name, values] of Object.entries(CHOICES)) {
      const value = String(chosen[name]);
      if (values.includes(value)) document.documentElement.dataset[name] = value;
      else delete document.documentElement.dataset[name];
    }
  }

  apply();
  addEventListener("storage", apply); // chosen in another tab
  addEventListener("tool-bridge-appearance", apply); // chosen in this one
})();
