// @ts-check
/** When a screen reader speaks of a conversation. */

const PAUSE_MS = 1500;

/** Says what has come together since it last spoke, with a pause between. */
export class ScreenReader {
  /** @type {string[]} */
  #waiting = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {(words: string) => void} speak */
  constructor(speak) {
    this.speak = speak;
  }

  /** @param {string[]} sentences */
  announceSentences(sentences) {
    if (sentences.length === 0) return;
    this.#waiting.push(...sentences);
    this.#timer ??= setTimeout(() => this.#speak(), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #speak() {
    this.#timer = undefined;
    this.speak(this.#waiting.splice(0).join(" "));
  }
}
