// @ts-check
/** Add a device: the code that another browser shows, then which browser it is, then yes or no. */
import { t } from "../base/language.js";
import { formatTime } from "../base/time_format.js";
import { announceSentence, button, el, factList, fill, freshId, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";

/** @typedef {import("../types/api_types.js").WaitingBrowser} WaitingBrowser */

const codeField = () =>
  el("input", {
    type: "text",
    class: "mono",
    required: true,
    maxlength: 20,
    placeholder: "ABCD-EFGH",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });

export class AddDeviceForm {
  /** @param {import("../session/bridge_api.js").BridgeApi} api @param {string} user @param {() => void} added */
  constructor(api, user, added) {
    this.api = api;
    this.user = user;
    this.added = added;
    this.answer = el("div", { "aria-live": "polite" });
    this.input = codeField();
    const hint = el(
      "p",
      { class: "hint", id: freshId("pairing") },
      t`Open the address of the bridge in the other browser: it shows a code. Only type a code that you see on a screen of your own.`,
    );
    this.input.setAttribute("aria-describedby", hint.id);
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`Add a device` },
      el("h2", null, t`Add a device`),
      el(
        "form",
        { class: "inline-form", onsubmit: (/** @type {Event} */ event) => void this.#lookUp(event) },
        labelledField(t`Code`, this.input),
        el("button", { type: "submit", class: "primary" }, t`Look it up`),
      ),
      hint,
      this.answer,
    );
  }

  /** @param {Event} event */
  async #lookUp(event) {
    event.preventDefault();
    const code = this.input.value;
    try {
      this.#ask(code, await this.api.findPairing(code));
    } catch (failure) {
      fill(this.answer, notice("error", sentenceOf(failure)));
    }
  }

  /** @param {string} code @param {WaitingBrowser} waiting */
  #ask(code, { browser, address, asked_at }) {
    const since = formatTime(asked_at * 1000);
    fill(
      this.answer,
      notice("note", t`Is this your browser? It would belong to ${this.user}: your calls may then run there.`),
      factList([
        [t`Reported as`, browser],
        [t`Address`, address],
        [t`Since`, since],
      ]),
      el(
        "div",
        { class: "actions" },
        guardControl(button(t`Confirm this device`, () => void this.#decide(code, true), { class: "primary" })),
        button(t`Refuse`, () => void this.#decide(code, false), { class: "danger" }),
      ),
    );
  }

  /** @param {string} code @param {boolean} accept */
  async #decide(code, accept) {
    try {
      await this.api.decidePairing(code, accept);
      const sentence = accept ? t`The device is added. It connects by itself.` : t`The request was refused.`;
      fill(this.answer, notice(accept ? "good" : "note", sentence));
      announceSentence(sentence);
      this.input.value = "";
      this.added();
    } catch (failure) {
      fill(this.answer, notice("error", sentenceOf(failure)));
    }
  }
}
