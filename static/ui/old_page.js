// @ts-check
/** A page that was open while the bridge was updated: the files that it has not loaded yet are gone. */

import { ownName } from "../base/bridge_paths.js";

const RELOADED = ownName("tool-bridge-reloaded");

/**
 * Reloads the page if the bridge serves another version by now; once for each version, lest it reloads for ever.
 * @param {string} ownUrl of a loaded module, as its `import.meta.url` says
 * @param {Pick<Window, "fetch" | "sessionStorage" | "location">} [page]
 * @returns {Promise<boolean>} whether it reloads
 */
export async function reloadOldPage(ownUrl, page = window) {
  const answer = await page.fetch(ownUrl, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status !== 404 || page.sessionStorage.getItem(RELOADED) === ownUrl) return false;
  page.sessionStorage.setItem(RELOADED, ownUrl);
  page.location.reload();
  return true;
}
