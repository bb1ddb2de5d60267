// @ts-check
/** Tells the page of an answer while it comes: its bytes, and of a stream of events or lines their number and the last of them. */

/** @typedef {import("../types/types.d.ts").AnswerProgress} AnswerProgress */

/** Milliseconds between two pieces of news. */
const QUIET_MS = 250;
/** Characters of a stream's end that the page shows. */
const TOLD_CHARS = 16_384;
/** Characters before those in which a secret would be seen whole: what is cut off there may begin within one. */
const MARGIN_CHARS = 16_384;

export class AnswerNews {
  #bytes = 0;
  #count = 0;
  #tail = "";
  #isCut = false;
  #line = "";
  #hasData = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {AnswerProgress["stream"]} stream
   * @param {import("../types/runner_types.d.ts").Redact} redact
   * @param {(progress: AnswerProgress) => void} tell
   */
  constructor(stream, redact, tell) {
    this.stream = stream;
    this.decoder = this.stream ? new TextDecoder() : null;
    this.redact = redact;
    this.tell = tell;
  }

  /** @param {Uint8Array} chunk */
  addChunk(chunk) {
    this.#bytes += chunk.byteLength;
    if (this.decoder) this.#addText(this.decoder.decode(chunk, { stream: true }));
    this.#timer ??= setTimeout(() => this.#tellNews(), QUIET_MS);
  }

  /** It has come, or will not. */
  endNews() {
    clearTimeout(this.#timer);
  }

  #tellNews() {
    this.#timer = undefined;
    this.tell({ bytes: this.#bytes, stream: this.stream, count: this.#count, text: this.#toldText() });
  }

  /** @param {string} text */
  #addText(text) {
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.pop() ?? "").slice(-TOLD_CHARS);
    for (const line of lines) this.#countLine(line.trim());
    const tail = this.#tail + text;
    const most = TOLD_CHARS + MARGIN_CHARS;
    this.#isCut ||= tail.length > most;
    this.#tail = tail.slice(-most);
  }

  /** An event ends with an empty line. @param {string} line */
  #countLine(line) {
    if (this.stream === "lines") this.#count += line === "" ? 0 : 1;
    else if (line !== "") this.#hasData ||= line.startsWith("data");
    else {
      this.#count += this.#hasData ? 1 : 0;
      this.#hasData = false;
    }
  }

  #toldText() {
    if (!this.stream) return "";
    const text = this.redact(this.#tail, true);
    return this.#isCut ? text.slice(MARGIN_CHARS) : text;
  }
}
