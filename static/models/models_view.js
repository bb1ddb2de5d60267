// @ts-check
/** Where the models come from: providers of the operator, and those that the user sets up. */
import { t } from "../base/language.js";
import { ProviderApi } from "../session/provider_api.js";
import { ProviderForm } from "./provider_form.js";
import { describeProvider } from "./provider_choice.js";
import { announceSentence, attemptAction, button, el, fill, link } from "../ui/dom.js";
import { guardControl } from "../base/guarded_control.js";
import { viewAddress } from "../ui/router.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/provider_types.js").Provider} Provider */

export class ModelsView {
  /** @type {import("../types/provider_types.js").ProviderList} */
  #list = { providers: [], may_share: false };

  /** @param {Parts} parts */
  constructor(parts) {
    this.api = new ProviderApi(parts.api);
    this.messages = el("div");
    this.cards = el("div", { class: "cards" });
    this.place = el("div");
    this.add = button(t`Add a model provider`, () => this.#open(null), { class: "primary", hidden: true });
  }

  /** @param {HTMLElement} container */
  async start(container) {
    const words = t`The chat and programs ask these models. Their keys stay on the bridge, encrypted; no page and no program reads them.`;
    const back = link(t`Back to the chat`, viewAddress("chat"), { class: "quiet-link" });
    fill(
      container,
      el("h1", { tabindex: "-1" }, t`Models`),
      el("p", { class: "lead" }, words),
      el("p", { class: "actions" }, this.add, back),
      this.messages,
      this.place,
      this.cards,
    );
    await this.#load();
    if (this.#list.providers.length === 0) this.#open(null);
  }

  stop() {
    fill(this.place);
  }

  #load() {
    return attemptAction(this.messages, async () => {
      this.#list = await this.api.listProviders();
      fill(this.cards, ...this.#list.providers.map((provider) => this.#card(provider)));
      this.add.hidden = this.place.childElementCount > 0;
    });
  }

  /** @param {Provider | null} known */
  #open(known) {
    const taken = this.#list.providers.map(({ name }) => name);
    const close = () => {
      fill(this.place);
      this.add.hidden = false;
      this.add.focus();
    };
    const saved = () => {
      close();
      void this.#load();
    };
    const form = new ProviderForm(known, taken, this.#list.may_share, { api: this.api, saved, close });
    this.add.hidden = true;
    fill(this.place, form.element);
    (known ? form.url : form.preset).focus();
  }

  /** @param {Provider} provider */
  #card(provider) {
    const { name, base_url, source } = provider;
    const question = el("div");
    const edit = button(t`Change`, () => this.#open(provider), {
      class: "quiet small",
      "aria-label": t`Change ${name}`,
    });
    const remove = button(t`Remove`, () => this.#askToRemove(name, question, remove), {
      class: "quiet small danger",
      "aria-label": t`Remove ${name}`,
    });
    const head = el(
      "div",
      { class: "card-head" },
      el("h2", null, name),
      source === "own" ? el("span", { class: "actions" }, edit, remove) : el("span", { class: "badge" }, t`read-only`),
    );
    const where = base_url === "" ? null : el("p", { class: "mono hint" }, base_url);
    return el(
      "article",
      { class: "card", "aria-label": name, dataset: { source } },
      head,
      where,
      el("p", { class: provider.key_lost ? "hint warning-text" : "hint" }, describeProvider(provider)),
      question,
    );
  }

  /** @param {string} name @param {HTMLElement} place @param {HTMLElement} asked */
  #askToRemove(name, place, asked) {
    const leave = () => {
      fill(place);
      asked.focus();
    };
    const yes = guardControl(button(t`Remove it`, () => void this.#remove(name), { class: "danger small" }));
    const words = el("span", null, t`Its models and its key are removed from the bridge. Conversations stay.`);
    fill(
      place,
      el("p", { class: "actions question" }, words, yes, button(t`Keep it`, leave, { class: "quiet small" })),
    );
    yes.focus();
  }

  /** @param {string} name */
  async #remove(name) {
    await attemptAction(this.messages, async () => {
      await this.api.removeProvider(name);
      announceSentence(t`${name} is removed`);
    });
    await this.#load();
    this.add.focus();
  }
}
