// @ts-check
/** The code of a browser that waits to be confirmed: shows it, polls its state, and shows how it ended. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";
import { announceSentence, button, el, fill, notice, sentenceOf } from "../ui/dom.js";

/** @typedef {import("../connection/pairing_code.js").PairingCode} PairingCode */
/** @typedef {import("../connection/pairing_code.js").Standing} Standing */

const ASK_EVERY_MS = 2000;

const ENDED = dictionaryOf({
  refused: t`This browser was refused.`,
  expired: t`The code has expired: it was not entered within 5 minutes.`,
});

export class PairingPanel {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isStopped = true;

  /**
   * @param {PairingCode} code
   * @param {() => void} confirmed
   * @param {(shown: import("../connection/pairing_code.js").ShownCode) => void} [shown] hears of every code
   */
  constructor(code, confirmed, shown = () => undefined) {
    this.code = code;
    this.confirmed = confirmed;
    this.shown = shown;
    this.element = el("section", { class: "panel pairing", "aria-label": t`Pair this browser with a code` });
    this.look = () => document.visibilityState === "visible" && this.#askSoon(0);
  }

  /** Shows the code there is, or gets one. */
  start() {
    this.#isStopped = false;
    document.addEventListener("visibilitychange", this.look); // timers of a hidden page sleep
    if (this.code.shownCode) this.#showCode();
    else void this.#newCode();
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.look);
  }

  async #newCode() {
    try {
      await this.code.requestCode();
      if (!this.#isStopped) this.#showCode();
    } catch (failure) {
      this.#showEnd(sentenceOf(failure));
    }
  }

  #showCode() {
    const shown = /** @type {import("../connection/pairing_code.js").ShownCode} */ (this.code.shownCode);
    const { code, ends_at } = shown;
    const until = formatTime(ends_at);
    const readable = `${code.slice(0, 4)}-${code.slice(4)}`;
    fill(
      this.element,
      el("h2", null, t`Pair it from a browser that is already paired`),
      el("p", null, t`There, open Devices and type this code under “Add a device”.`),
      el("p", { class: "pairing-code mono", dataset: { testid: "pairing-code" } }, readable),
      el("p", { class: "hint" }, t`Valid once, until ${until}. This page continues by itself.`),
    );
    announceSentence(t`Code ${[...code].join(" ")}`);
    this.shown(shown);
    this.#askSoon(ASK_EVERY_MS);
  }

  /** @param {number} delay */
  #askSoon(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), delay);
  }

  async #ask() {
    /** @type {Standing} */
    const standing = await this.code.readStanding().catch(() => "waiting"); // The bridge may be back in a moment.
    if (this.#isStopped) return;
    if (standing === "waiting") this.#askSoon(ASK_EVERY_MS);
    else if (standing === "confirmed") this.confirmed();
    else this.#showEnd(ENDED[standing]);
  }

  /** @param {string} sentence */
  #showEnd(sentence) {
    fill(
      this.element,
      notice("warning", sentence),
      button(t`Show a new code`, () => void this.#newCode()),
    );
  }
}
