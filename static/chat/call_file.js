// @ts-check
/**
 * A file that a tool answered with, where its reader sees it: pictures and sounds at once, everything else to download.
 * The link in the stored output ends within a day and may name another address of the bridge, so it is asked for anew.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { button, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { formatSize } from "../ui/format_count.js";
import { nameFor } from "../ui/response_view.js";
import { essenceOf } from "../base/content_type.js";
import { truncateLine } from "../base/untrusted_text.js";

/** @typedef {import("../types/api_types.js").AnswerFile} AnswerFile */
/** @typedef {{mime: string, bytes: number, filename: string, isAll: boolean}} FileFacts  `isAll`: the answer is nothing but the file */
/** @typedef {(callId: string, mime: string) => Promise<AnswerFile>} FindFile */

/** Above it a picture is shown when its reader asks for it. */
const SHOWN_BYTES = 16 * 1024 ** 2;

/** The file in the output of a call; null: it has none, or there was no room for it. @param {string | null} result @returns {FileFacts | null} */
export function fileOf(result) {
  if (result === null || !/^\s*\{[^]*"file"\s*:/.test(result)) return null;
  try {
    const { file, ...rest } = JSON.parse(result);
    const isStored =
      /\/files\/[\w.-]+$/.test(String(file?.url)) && typeof file.mime === "string" && typeof file.bytes === "number";
    const isAll = Object.keys(rest).every((name) => name === "text");
    return isStored
      ? { mime: essenceOf(file.mime), bytes: file.bytes, filename: String(file.filename ?? ""), isAll }
      : null;
  } catch {
    return null;
  }
}

/** How a file is shown. SVG can hold scripts, and comes as text anyway. @param {string} mime @returns {"picture" | "audio" | "video" | "other"} */
export function kindOf(mime) {
  if (mime.startsWith("image/") && !mime.startsWith("image/svg")) return "picture";
  return mime.startsWith("audio/") ? "audio" : mime.startsWith("video/") ? "video" : "other";
}

/** A name to save it under, which says what it came from. @param {string} tool @param {string} mime */
export const savedName = (tool, mime) => nameFor(mime).replace("answer", tool.replace(/[^\w.-]+/g, "_") || "answer");

/** What is said of each kind. @type {Record<"picture" | "audio" | "video", Record<"show" | "name", (tool: string) => string>>} */
const MEDIA = dictionaryOf({
  picture: { show: (tool) => t`Show the picture from ${tool}`, name: (tool) => t`Picture from ${tool}` },
  audio: { show: (tool) => t`Show the audio from ${tool}`, name: (tool) => t`Audio from ${tool}` },
  video: { show: (tool) => t`Show the video from ${tool}`, name: (tool) => t`Video from ${tool}` },
});

export class CallFileView {
  #shown = "";
  element = el("div", { class: "call-file" });
  /** Asks for a picture when it comes near: a long conversation has many. */
  #near = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && this.#comeNear(), {
    rootMargin: "600px",
  });
  #show = async () => {};

  /** @param {FindFile} find */
  constructor(find) {
    this.find = find;
  }

  /** @param {string} tool @param {string | null} callId the bridge's id @param {FileFacts | null} file */
  showFile(tool, callId, file) {
    const now = file && callId ? `${callId} ${file.mime} ${file.bytes}` : "";
    if (now === this.#shown) return;
    this.#shown = now;
    this.#near.disconnect();
    if (!file || !callId) return fill(this.element);
    const name = truncateLine(tool);
    const place = el("div");
    const get = () => this.find(callId, file.mime);
    const isBig = file.bytes > SHOWN_BYTES;
    const kind = kindOf(file.mime);
    this.#show = () => showMedia(place, kind, name, get);
    const ask =
      kind !== "other" && isBig
        ? button(t`Show`, () => void this.#show(), { class: "quiet small", "aria-label": MEDIA[kind].show(name) })
        : null;
    const facts = [truncateLine(file.filename), file.mime, formatSize(file.bytes)].filter(Boolean).join(", ");
    fill(
      this.element,
      place,
      el("p", { class: "actions" }, el("span", { class: "facts" }, facts), ask, saveButton(place, name, file, get)),
    );
    if (kind !== "other" && !isBig) this.#near.observe(this.element);
  }

  #comeNear() {
    this.#near.disconnect();
    void this.#show();
  }
}

/** @param {HTMLElement} place @param {"picture" | "audio" | "video" | "other"} kind @param {string} name @param {() => Promise<AnswerFile>} get */
async function showMedia(place, kind, name, get) {
  try {
    const url = String((await get()).url);
    const label = kind === "other" ? "" : MEDIA[kind].name(name);
    if (kind === "picture") fill(place, link("", url, { target: "_blank", rel: "noopener", class: "picture" }));
    if (kind === "picture") place.firstElementChild?.append(el("img", { src: url, alt: label }));
    else
      fill(
        place,
        el(kind === "audio" ? "audio" : "video", {
          src: url,
          controls: true,
          preload: "metadata",
          "aria-label": label,
        }),
      );
  } catch (failure) {
    fill(place, el("p", { class: "hint" }, sentenceOf(failure)));
  }
}

/** @param {HTMLElement} place for what goes wrong @param {string} name @param {FileFacts} facts @param {() => Promise<AnswerFile>} get */
function saveButton(place, name, { filename, mime }, get) {
  const save = async () => {
    try {
      const { url } = await get();
      const anchor = link("", String(url), { download: filename || savedName(name, mime) });
      document.body.append(anchor);
      anchor.click();
      anchor.remove();
    } catch (failure) {
      fill(place, notice("note", sentenceOf(failure)));
    }
  };
  return button(t`Download`, save, { class: "quiet small", "aria-label": t`Download the file from ${name}` });
}
