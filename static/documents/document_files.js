// @ts-check
/** Files that a user chose for one document: their addresses, and finding one by name. Pure. */

/** @typedef {{path: string, text: string}} DocumentFile  `path`: as chosen, with folders where they are known */

/** Files have no address; these stand for one, so that relative references between them can be followed. */
const FILES = "file:///";

/** @param {string} path @returns {string} */
export const addressOf = (path) => FILES + path.split("/").map(encodeURIComponent).join("/");

/** @param {string} url */
export const isFile = (url) => url.startsWith("file:");

/** @param {string} url @returns {string} as the user knows it */
export function nameOf(url) {
  if (!isFile(url)) return url;
  const path = new URL(url).pathname.slice(1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * The one file that fits an address best: most folders in common, counted from the end. A file that was chosen alone
 * has no folders, so its name has to do.
 * @param {string} url
 * @param {DocumentFile[]} files
 * @returns {DocumentFile | null} null where none fits, or several fit as well
 */
export function fileFor(url, files) {
  const wanted = nameOf(url).split("/").reverse();
  const fits = files.map((file) => ({ file, parts: sharedEnding(wanted, file.path.split("/").reverse()) }));
  const best = Math.max(0, ...fits.map(({ parts }) => parts));
  const found = fits.filter(({ parts }) => parts === best);
  return best > 0 && found.length === 1 ? found[0].file : null;
}

/** @param {string[]} one @param {string[]} other */
function sharedEnding(one, other) {
  const differs = one.findIndex((part, index) => part !== other[index]);
  return differs === -1 ? one.length : differs;
}
