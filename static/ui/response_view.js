// @ts-check
/** What an API answered, for a user's eyes: text as text whatever its type, pictures and sounds, and ways to save it completely. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { announceSentence, button, copyButton, el, link, sentenceOf } from "./dom.js";
import { formatSize } from "./format_count.js";
import { prettyJson } from "./json_display.js";
import { parseJson } from "../base/json_text.js";
import { essenceOf } from "../base/content_type.js";

/** @typedef {import("../types/api_types.js").AnswerFile} AnswerFile */

/** Maximum characters of a text that are shown; the complete text can be saved. */
export const SHOWN_CHARS = 65_536;

/**
 * JSON is indented; everything else, and JSON that is none, stays as it came.
 * @param {string} text
 * @param {string} contentType
 */
export function formatBody(text, contentType) {
  if (!/json/i.test(contentType) && !/^\s*[[{]/.test(text)) return text;
  try {
    return prettyJson(parseJson(text));
  } catch {
    return text;
  }
}

/** Foreign text, HTML too, as one block of characters; its beginning, when it is long. @param {string} text */
export function textView(text) {
  const shown = text.slice(0, SHOWN_CHARS);
  const block = el(
    "div",
    { class: "code" },
    el("pre", { tabindex: "0", role: "region", "aria-label": t`Body of the answer` }, shown),
    copyButton(t`Copy`, () => text, { "aria-label": t`Copy the answer` }),
  );
  if (shown.length === text.length) return block;
  const words = t`The first ${shown.length} of ${text.length} characters are shown; Copy copies them all.`;
  return el("div", null, block, el("p", { class: "hint" }, words));
}

/** @type {Record<string, string>} */
const CUT_WORDS = dictionaryOf({
  size: t`The API sent more than this page reads, so the end is missing.`,
  time: t`The API was still sending when the time for the call ran out.`,
  stop: t`It was stopped on the bridge page while the API was still sending.`,
});

/** @typedef {Pick<import("../types/api_types.js").Answer, "selected" | "select_error">} Queried */

/**
 * Says why something is missing, or that a query chose it; null when all is shown.
 * @param {{shown: number | null, total: number | null, cut_by: import("../types/types.d.ts").CutBy, queried?: Queried}} cut bytes;
 *   `shown`: what the caller of the tool read, null when all that there is
 */
export function cutNote({ shown, total, cut_by, queried = {} }) {
  if (queried.selected || queried.select_error) return queryNote(queried);
  const words = [shown === null ? "" : readSentence(formatSize(shown), total), cut_by ? CUT_WORDS[cut_by] : ""]
    .filter(Boolean)
    .join(" ");
  return words === "" ? null : el("p", { class: "hint warning-text", dataset: { testid: "cut" } }, words);
}

/** @param {Queried} queried */
function queryNote({ select_error }) {
  const words = select_error
    ? t`The query selected nothing. ${select_error}`
    : t`This is what the query selected. The download has the whole answer.`;
  return el("p", { class: select_error ? "hint warning-text" : "hint", dataset: { testid: "query-note" } }, words);
}

/** @param {string} size @param {number | null} total */
const readSentence = (size, total) =>
  total === null
    ? t`Truncated: the caller gets the first ${size}.`
    : t`Truncated: the caller gets the first ${size} of ${formatSize(total)}.`;

/** @param {AnswerFile} file */
export function fileView(file) {
  const facts = [file.filename, essenceOf(file.mime), formatSize(Number(file.bytes))].filter(Boolean).join(", ");
  const type = essenceOf(file.mime);
  if (!file.url) return el("p", { class: "hint" }, t`${facts}. The bridge had no room to store it.`);
  const caption = el("figcaption", { class: "facts" }, facts, " ", saveLink(file, t`Download the file`));
  if (type.startsWith("image/") && type !== "image/svg+xml")
    return el("figure", null, el("img", { src: file.url, alt: t`The image the API answered with` }), caption);
  if (type.startsWith("audio/") || type.startsWith("video/"))
    return el("figure", null, mediaPlayer(type, file.url), caption);
  return el("p", null, saveLink(file, t`Download the file`), " ", el("span", { class: "facts" }, facts));
}

/** @param {string} type @param {string} url */
function mediaPlayer(type, url) {
  const name = type.startsWith("audio/") ? "audio" : "video";
  const words = name === "audio" ? t`The audio the API answered with` : t`The video the API answered with`;
  return el(name, { src: url, controls: true, preload: "metadata", "aria-label": words });
}

/** @param {AnswerFile} file @param {string} label */
export function saveLink(file, label) {
  return link(label, String(file.url), { download: file.filename || nameFor(file.mime), class: "button quiet small" });
}

/** A button that saves a text this page has. @param {string} text @param {string} contentType */
export function saveButton(text, contentType) {
  return button(t`Download the answer`, () => saveText(text, nameFor(contentType)), {
    class: "quiet small",
  });
}

/**
 * A button that saves an answer the bridge stores; its address is requested when the button is pressed.
 * @param {() => Promise<AnswerFile>} find
 */
export function findAndSaveButton(find) {
  const pressed = async () => {
    try {
      const file = await find();
      saveUrl(String(file.url), file.filename || nameFor(file.mime));
    } catch (failure) {
      asked.replaceWith(el("span", { class: "hint" }, sentenceOf(failure)));
      announceSentence(sentenceOf(failure));
    }
  };
  const asked = button(t`Download the answer`, pressed, { class: "quiet small" });
  return asked;
}

/** A text of this page as a file of the user. @param {string} text @param {string} name */
export function saveText(text, name) {
  saveUrl(URL.createObjectURL(new Blob([text])), name);
}

/** @param {string} url @param {string} name */
function saveUrl(url, name) {
  const anchor = link("", url, { download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** @type {[RegExp, string][]} */
const ENDINGS = [
  [/ndjson|jsonl/, "ndjson"],
  [/json/, "json"],
  [/csv/, "csv"],
  [/html/, "html"],
  [/svg/, "svg"],
  [/xml/, "xml"],
  [/^text\/|^$/, "txt"],
  [/^application\/pdf/, "pdf"],
  [/^(image|audio|video)\/[a-z\d]+$/, ""],
];

/** @param {string} contentType */
export function nameFor(contentType) {
  const type = essenceOf(contentType);
  const ending = ENDINGS.find(([pattern]) => pattern.test(type))?.[1];
  return `answer.${ending === "" ? type.split("/")[1] : (ending ?? "bin")}`;
}
