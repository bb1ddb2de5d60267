// @ts-check
/** A code that hands this browser's contents to another one: shown until it is used, cancelled or over. */
import { t } from "../base/language.js";
import { announceSentence, attemptAction, button, copyButton, el, fill } from "../ui/dom.js";
import { sealWithKey } from "./envelope.js";
import { makeCode, readCode } from "./transfer_code.js";

/** @typedef {Pick<import("../session/bridge_api.js").BridgeApi, "sendRequest">} Api */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */

const ROUTE = "/api/transfers";
const ASK_AGAIN_MS = 2_000;

export class TransferOffer {
  /** Until when the code that is shown is valid, in milliseconds since 1970; 0: none is shown. */
  #endsAt = 0;
  /** @type {number | undefined} */
  #nextLook = undefined;

  /** @param {Api} api @param {() => JsonValue} choose what is handed over; throws a sentence */
  constructor(api, choose) {
    this.api = api;
    this.choose = choose;
    this.shown = el("div");
    this.message = el("div");
    const hint = t`Stays with the bridge for ten minutes at most, sealed, and can be fetched once, by another browser of yours.`;
    const show = button(t`Show a code`, () => void attemptAction(this.message, () => this.#offer()));
    this.element = el(
      "section",
      { class: "stack", "aria-label": t`By a code` },
      el("h3", null, t`By a code`),
      el("p", { class: "hint" }, hint),
      this.shown,
      this.message,
      el("div", { class: "actions" }, show),
    );
  }

  /** What was not fetched is taken back. */
  stop() {
    if (this.#endsAt > 0) void this.#withdraw().catch(() => undefined); // it ends by itself soon
  }

  async #offer() {
    const code = await makeCode();
    const { id, key } = await readCode(code);
    const { expires_in } = await this.api.sendRequest("POST", ROUTE, {
      id,
      envelope: await sealWithKey(this.choose(), key),
    });
    this.#endsAt = Date.now() + expires_in * 1000;
    this.#lookLater();
    const cancel = () => void attemptAction(this.message, () => this.#withdraw());
    fill(
      this.shown,
      el("p", { class: "pairing-code mono", dataset: { testid: "transfer-code" } }, code),
      el(
        "p",
        { class: "hint" },
        t`Type it in the other browser: Settings, Move to another browser. Show it to nobody: it opens everything that you chose.`,
      ),
      el(
        "div",
        { class: "actions" },
        copyButton(t`Copy`, () => code),
        button(t`Cancel`, cancel, { class: "quiet small" }),
      ),
    );
    announceSentence(t`The code is shown`);
  }

  #lookLater() {
    clearTimeout(this.#nextLook);
    this.#nextLook = window.setTimeout(() => void this.#look(), ASK_AGAIN_MS);
  }

  /** Whoever fetched it: the user is told, and sees it if it was somebody else. */
  async #look() {
    if (!this.element.isConnected) return this.stop(); // the view was left while the offer was on its way
    const standing = await this.api.sendRequest("GET", ROUTE).catch(() => null); // asked again until the code is over
    if (this.#endsAt === 0) return; // cancelled meanwhile
    if (standing?.state === "fetched")
      this.#close(t`It was fetched. If that was not you, replace the credentials at their APIs.`);
    else if (standing?.state === "gone" || Date.now() >= this.#endsAt)
      this.#close(t`The code is over. Show a new one.`);
    else this.#lookLater();
  }

  async #withdraw() {
    this.#close("");
    await this.api.sendRequest("DELETE", ROUTE);
  }

  /** @param {string} sentence */
  #close(sentence) {
    clearTimeout(this.#nextLook);
    this.#endsAt = 0;
    fill(this.shown, sentence === "" ? null : el("p", { class: "hint", role: "status" }, sentence));
  }
}

/** Fetches what another browser offers, once. @param {Api} api @param {string} id @returns {Promise<string>} */
export async function fetchTransfer(api, id) {
  return (await api.sendRequest("POST", `${ROUTE}/fetch`, { id })).envelope;
}
