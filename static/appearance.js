// @ts-check
/**
 * The theme and density that the user chose in this browser. A classic script, because it must run before the first
 * paint: a page that starts light and turns dark blinds who sits in the dark.
 */
(() => {
  const CHOICES = { theme: ["light", "dark"], density: ["compact"] };

  /** @returns {Record<string, unknown>} */
  function readChoice() {
    try {
      return JSON.parse(localStorage.getItem("tool-bridge-appearance") ?? "{}") ?? {};
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
