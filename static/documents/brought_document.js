// @ts-check
/** From the address of documentation, or from requests, to a document. Asks the user where there is a choice. */
import { counted, t } from "../base/language.js";
import { button, el, fill, labelledField } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { configuredPlaces, namedPlaces, usualPlaces } from "./document_places.js";
import { readAddress } from "../session/probe_frames.js";

/** @typedef {import("./document_places.js").Place} Place */
/** @typedef {import("../session/probe_frames.js").ProbeFrames} ProbeFrames */
/** @typedef {import("../types/conversion_types.js").Converted} Converted */

/**
 * @param {Element} container
 * @param {string} text
 * @param {Converted | null} converted what became of it; null: it is taken as it stands
 * @returns {Promise<string | null>} as it is to be added; null: the user gave up
 */
export async function takeText(container, text, converted) {
  return converted === null ? text : askAboutConversion(container, converted);
}

/** @param {Element} container @param {Converted} converted @returns {Promise<string | null>} */
function askAboutConversion(container, { kind, title, text, requests, operations, notes }) {
  const what = kind[0].toUpperCase() + kind.slice(1);
  const begin = counted(
    requests,
    "{1}: {0} request becomes {2}",
    "{1}: {0} requests become {2}",
    what,
    formatCount(operations, "operation"),
  );
  const about = t`The document is made in this browser. You review it as any other before anything is accepted.`;
  return askPanel(
    container,
    begin,
    [
      el("p", null, el("strong", null, title)),
      el("p", { class: "hint" }, about),
      el("ul", { class: "notes" }, ...notes.map((note) => el("li", null, note))),
      el(
        "details",
        null,
        el("summary", null, t`Show the document`),
        el("pre", { tabindex: "0", role: "region", "aria-label": t`The document` }, text),
      ),
    ],
    [{ label: t`Add it`, value: text }],
  );
}

/**
 * @param {Pick<ProbeFrames, "fetchDocument" | "findDocuments">} probes
 * @param {URL} url of a documentation page, or of an API
 * @param {{text: string, source_url: string} | null} page what is there, if it is a web page
 * @param {import("../types/document_types.js").Following} following
 * @returns {Promise<Place[]>}
 */
export async function searchDocuments(probes, url, page, { signal }) {
  const named = page ? namedPlaces(page.text, page.source_url) : [];
  for (const place of page && named.length === 0 ? configuredPlaces(page.text, page.source_url) : []) {
    const found = await probes.fetchDocument(readAddress(place), {}, { signal }).catch(() => null);
    if (found)
      named.push(...namedPlaces(found.text, place.includes("initializer") ? (page?.source_url ?? place) : place));
  }
  return named.length > 0 ? named : probes.findDocuments(url, usualPlaces(url), { signal }).catch(() => []);
}

/**
 * @param {Element} container
 * @param {URL} url where was looked
 * @param {Place[]} places one or more; a single one at the same origin needs no question
 * @returns {Promise<URL | null>} the one to add; null: the user gave up
 */
export async function askForPlace(container, url, places) {
  const one = places.length === 1;
  if (one && new URL(places[0].url).origin === url.origin) return readAddress(places[0].url); // the review shows it
  const begin = counted(places.length, "A document of this API was found", "{0} documents were found");
  const where = el("p", { class: "hint" }, t`${url.href} is no document itself.`);
  if (one)
    return chosen(
      await askPanel(container, begin, [where, placeLine(places[0])], [{ label: t`Add it`, value: places[0].url }]),
    );
  const select = el(
    "select",
    null,
    ...places.map((place) =>
      el("option", { value: place.url }, place.title ? `${place.title}: ${place.url}` : place.url),
    ),
  );
  return chosen(
    await askPanel(
      container,
      begin,
      [where, labelledField(t`Which one do you mean?`, select)],
      [{ label: t`Add it`, value: () => select.value }],
    ),
  );
}

/** @param {string | null} url */
const chosen = (url) => (url === null ? null : readAddress(url));

/** @param {Place} place */
const placeLine = ({ url, title }) => el("p", null, title ? `${title}: ` : null, el("code", { class: "wrap" }, url));

/**
 * @param {Element} container
 * @param {string} headline
 * @param {Node[]} content
 * @param {{label: string, value: string | (() => string)}[]} answers the first is the likely one
 * @returns {Promise<string | null>} null: the user gave up
 */
function askPanel(container, headline, content, answers) {
  return new Promise((resolve) => {
    /** @param {string | null} answer */
    const end = (answer) => {
      fill(container);
      resolve(answer);
    };
    const buttons = answers.map(({ label, value }) =>
      button(label, () => end(typeof value === "string" ? value : value()), { class: "primary" }),
    );
    const title = el("h2", { tabindex: "-1" }, headline);
    const actions = el(
      "div",
      { class: "actions" },
      ...buttons,
      button(t`Cancel`, () => end(null), { class: "quiet" }),
    );
    fill(
      container,
      el("section", { class: "panel references", "aria-label": t`What was found` }, title, ...content, actions),
    );
    title.focus();
  });
}
