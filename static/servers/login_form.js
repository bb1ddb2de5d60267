// @ts-check
/** What a user chooses before a login: scopes, the account's name, and as which client. */
import { t } from "../base/language.js";
import { PLACE, el, inText, labelledField } from "../ui/dom.js";

/** @typedef {import("../oauth/login_source.js").LoginOffer} LoginOffer */
/** @typedef {import("../oauth/login_steps.js").LoginWish} LoginWish */

/** @param {string} name @param {string} type */
const field = (name, type) => el("input", { name, type, autocomplete: "off", spellcheck: "false" });

export class LoginForm {
  /**
   * @param {LoginOffer} offer
   * @param {string[]} origins of the API
   * @param {string} redirect the address at which a login returns
   */
  constructor(offer, origins, redirect) {
    this.offer = offer;
    this.boxes = offer.scopes.map(({ name, needed }) =>
      el("input", { type: "checkbox", checked: needed, value: name }),
    );
    this.account = field("account", "text");
    this.clientId = field("client_id", "text");
    this.clientSecret = field("client_secret", "password");
    this.namesApi = el("input", { type: "checkbox", checked: true });
    this.origin = el("select", { name: "origin" }, ...origins.map((origin) => el("option", null, origin)));
    this.element = el(
      "div",
      { class: "stack" },
      this.#scopeFields(),
      origins.length > 1 ? labelledField(t`Sent to`, this.origin) : null,
      this.#clientFields(redirect),
    );
  }

  /** @returns {LoginWish} */
  get wish() {
    return {
      scopes: this.boxes.filter((box) => box.checked).map((box) => box.value),
      account: this.account.value.trim(),
      client: { client_id: this.clientId.value.trim(), client_secret: this.clientSecret.value },
      namesApi: this.namesApi.checked,
      origin: this.origin.value,
    };
  }

  /** A secret is not kept in the page. */
  forgetSecret() {
    this.clientSecret.value = "";
  }

  /** @param {HTMLInputElement} box @param {string} about */
  #scopeLabel(box, about) {
    return el(
      "label",
      { class: "check" },
      box,
      el("span", null, el("code", null, box.value), about ? el("span", { class: "hint" }, ` ${about}`) : null),
    );
  }

  #scopeFields() {
    if (this.boxes.length === 0) return null;
    const hint = t`Chosen are those that the accepted operations need. Untick what you do not want to give.`;
    return el(
      "fieldset",
      null,
      el("legend", null, t`Scopes`),
      el("p", { class: "hint" }, hint),
      ...this.boxes.map((box, index) => this.#scopeLabel(box, this.offer.scopes[index].about)),
    );
  }

  /** @param {string} redirect */
  #clientFields(redirect) {
    const registered = el(
      "span",
      null,
      ...inText(
        t`As registered at the authorization server, with the redirect address ${PLACE}. Left empty, the page registers itself where that is possible.`,
        el("code", null, redirect),
      ),
    );
    const name = t`To tell several accounts apart. Left empty, the server's name for you is taken, if it tells.`;
    const api = t`Name the API to the authorization server, so that tokens are good for nothing else (resource).`;
    const fields = [
      labelledField(t`Name of the account`, this.account, name),
      labelledField(t`Client id`, this.clientId, registered),
      labelledField(
        t`Client secret`,
        this.clientSecret,
        t`Only if the server gave you one. Stored encrypted in this browser, sent to that server only.`,
      ),
      el("label", { class: "check" }, this.namesApi, el("span", null, api)),
    ];
    return el("details", null, el("summary", null, t`Client and account`), el("div", { class: "stack" }, ...fields));
  }
}
