// @ts-check
/** Whether this bridge serves models: its operator may have started it without (`--no-models`). */

/** @returns {string} what the page's document says; modules are also loaded where there is none */
function readTag() {
  if (typeof document === "undefined") return "";
  return /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=models]"))?.content ?? "";
}

export const servesModels = readTag() !== "off";
