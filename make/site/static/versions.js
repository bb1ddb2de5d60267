/**
 * The chooser of versions. It works from a disk as well, where nothing can be fetched: the list comes as a script.
 *
 * @typedef {{ name: string, pages: string[] }} Version
 */

const place = /** @type {HTMLElement | null} */ (document.querySelector(".versions"));
const versions = /** @type {{ siteVersions?: Version[] }} */ (globalThis).siteVersions;
if (place && versions) fill(place, versions);

/**
 * @param {HTMLElement} place
 * @param {Version[]} versions the newest first
 */
function fill(place, versions) {
  const { version = "", root = "", page = "" } = place.dataset;
  const choice = /** @type {HTMLSelectElement} */ (place.querySelector("select"));
  choice.append(...versions.map(({ name }) => new Option(name, name, false, name === version)));
  choice.addEventListener("change", () => {
    const chosen = versions.find(({ name }) => name === choice.value);
    location.href = `${root}../${choice.value}/${chosen?.pages.includes(page) ? page : "index.html"}`;
  });
  place.hidden = false;
  const newest = versions.find(({ name }) => name !== "next");
  const note = /** @type {HTMLElement} */ (place.querySelector("p"));
  note.hidden = !newest || version === newest.name || version === "next";
}
