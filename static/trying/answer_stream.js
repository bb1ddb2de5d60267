// @ts-check
/** A long answer while it comes: seconds, bytes, and the last events or lines of a stream. */
import { counted, t } from "../base/language.js";
import { openCallChannel } from "../executor/call_log.js";
import { el, fill } from "../ui/dom.js";
import { formatFixed, formatSize } from "../ui/format_count.js";

/** @typedef {import("../types/types.js").AnswerProgress} AnswerProgress */

const TICK_MS = 1000;
/** Pixels from the end within which its reader wants to see what comes. */
const NEAR_END = 24;

/** Words for the progress. @param {AnswerProgress} progress */
export function progressWords({ bytes, stream, count }) {
  const size = t`${formatSize(bytes)} received`;
  if (stream === "events") return `${counted(count, "{0} event", "{0} events")} · ${size}`;
  if (stream === "lines") return `${counted(count, "{0} line", "{0} lines")} · ${size}`;
  return size;
}

export class AnswerStream {
  /** The last news; null: none has come. @type {AnswerProgress | null} */
  progress = null;

  /** @param {string} userId @param {() => string | undefined} callId of the call that is watched, once it is known */
  constructor(userId, callId) {
    this.words = el("p", { class: "hint", role: "status" });
    this.seconds = el("span", { class: "facts", "aria-hidden": "true" });
    this.facts = el("span", { class: "facts" });
    this.text = el("pre", {
      class: "stream-text",
      hidden: true,
      tabindex: "0",
      role: "region",
      "aria-label": t`What has come so far`,
    });
    const line = el("div", { class: "stream-line" }, el("span", { class: "spinner" }), this.words, this.facts);
    line.append(this.seconds);
    this.element = el("div", { class: "answer-stream", dataset: { testid: "coming" } }, line, this.text);
    const began = performance.now();
    this.timer = setInterval(() => fill(this.seconds, formatSeconds(performance.now() - began)), TICK_MS);
    this.channel = openCallChannel(userId);
    this.channel.onmessage = ({ data }) =>
      data.type === "progress" && data.call_id === callId() && this.#show(data.progress);
  }

  /** @param {string} words what the call waits for */
  showWords(words) {
    fill(this.words, words);
  }

  endStream() {
    clearInterval(this.timer);
    this.channel.close();
  }

  /** @param {AnswerProgress} progress */
  #show(progress) {
    this.progress = progress;
    fill(this.facts, progressWords(progress));
    if (!progress.stream) return;
    const { text } = this;
    const isNearEnd = text.scrollHeight - text.scrollTop - text.clientHeight < NEAR_END;
    text.hidden = false;
    fill(text, progress.text);
    if (isNearEnd) text.scrollTop = text.scrollHeight;
  }
}

/** @param {number} ms */
const formatSeconds = (ms) => `${formatFixed(Math.floor(ms / 1000), 0)} s`;
