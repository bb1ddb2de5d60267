// @ts-check
/** Sets up one provider: where it is, its key, and which of its models are offered. The key is sent once and never shown. */
import { counted, t } from "../base/language.js";
import { announceSentence, button, el, fill, freshId, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { changedTools } from "./changed_tools.js";
import { ModelChoice } from "./model_choice.js";
import { PRESETS, bodyOf, faultsOf, freeName } from "./provider_choice.js";
import {
  addressField,
  charsField,
  dialectField,
  nameField,
  presetField,
  protocolField,
  searchField,
  strictField,
} from "./provider_fields.js";

/** @typedef {import("../types/provider_types.js").Provider} Provider */
/**
 * @typedef {object} FormActions
 * @property {import("../session/provider_api.js").ProviderApi} api
 * @property {() => void} saved
 * @property {() => void} close
 */

const KEPT = t`A key is stored on the bridge. Leave this empty to keep it.`;

/** @param {HTMLInputElement} box @param {string} words */
const checkLine = (box, words) => el("label", { class: "check" }, box, el("span", null, words));

export class ProviderForm {
  #isBusy = false;

  /** @param {Provider | null} known null: a new one @param {string[]} taken names of others @param {boolean} mayShare @param {FormActions} actions */
  constructor(known, taken, mayShare, actions) {
    this.known = known;
    this.taken = taken;
    this.actions = actions;
    this.preset = presetField(() => this.#fillPreset());
    this.name = nameField(known);
    this.url = addressField(known);
    this.key = el("input", { type: "password", autocomplete: "new-password", spellcheck: "false" });
    this.dropsKey = el("input", { type: "checkbox" });
    this.api = protocolField(known);
    this.dialect = dialectField(known);
    this.strict = strictField(known);
    this.chars = charsField(known);
    this.search = searchField(known);
    this.shared = el("input", { type: "checkbox", checked: known?.shared ?? false });
    this.choice = new ModelChoice(known?.models ?? []);
    this.messages = el("div");
    this.mayShare = mayShare;
    this.element = this.#build();
    this.url.addEventListener("change", () => this.#suggestName());
    if (known) this.choice.element.hidden = true;
    else this.#fillPreset();
  }

  #build() {
    const title = el(
      "h2",
      { id: freshId("provider") },
      this.known ? t`Change ${this.known.name}` : t`Add a model provider`,
    );
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    };
    const more = el("details", { class: "stack" }, el("summary", null, t`More`), ...this.#further());
    more.open = this.known === null && this.preset.value === "";
    return el(
      "form",
      { class: "panel stack", "aria-labelledby": title.id, novalidate: true, onsubmit: submit },
      title,
      this.known ? null : labelledField(t`Provider`, this.preset),
      ...this.#access(),
      more,
      this.mayShare ? checkLine(this.shared, t`Share with all users of this bridge. They use it with this key.`) : null,
      this.choice.element,
      this.messages,
      this.#buttons(),
    );
  }

  /** Where it is, and what opens it. */
  #access() {
    const hasKey = this.known?.has_key ?? false;
    return [
      labelledField(
        t`Address`,
        this.url,
        t`Up to and including the version. A server on this computer is one on the bridge's computer.`,
      ),
      labelledField(
        t`API key`,
        this.key,
        hasKey ? KEPT : t`Stored encrypted on the bridge and never sent back to a page. Local servers need none.`,
      ),
      hasKey ? checkLine(this.dropsKey, t`Remove the stored key`) : null,
    ];
  }

  #further() {
    return [
      labelledField(t`Name`, this.name, t`Tells models of the same name apart.`),
      labelledField(t`Protocol`, this.api),
      labelledField(
        t`Rules for tools`,
        this.dialect,
        t`Whose rules tools have to keep, as for a gateway. Automatic: by the address.`,
      ),
      labelledField(
        t`Strict tools`,
        this.strict,
        t`Turn them off if the provider refuses requests with tools. Automatic: by the address.`,
      ),
      labelledField(
        t`Longest description of a tool`,
        this.chars,
        t`In characters; longer ones are cut. Empty: by the address.`,
      ),
      labelledField(
        t`Native tool search`,
        this.search,
        t`Models of Responses search for tools by themselves, as GPT-5.4 and later do. Automatic: by their names.`,
      ),
    ];
  }

  #buttons() {
    const test = button(t`Test`, () => void this.#test(), { class: "quiet" });
    const save = el("button", { type: "submit", class: "primary" }, t`Save`);
    return el(
      "div",
      { class: "actions" },
      save,
      test,
      button(t`Cancel`, () => this.actions.close(), { class: "quiet" }),
    );
  }

  #fillPreset() {
    const preset = PRESETS.find(({ id }) => id === this.preset.value);
    this.url.value = preset?.url ?? "";
    this.name.value = freeName(preset?.id ?? "", this.taken);
    if (!preset) this.url.focus();
  }

  /** Of an address that is no preset's: the host. */
  #suggestName() {
    if (this.known || this.preset.value !== "" || !URL.canParse(this.url.value)) return;
    this.name.value = freeName(new URL(this.url.value).hostname, this.taken);
  }

  get #values() {
    const { name, url, key, api, shared, dropsKey, dialect, strict, chars, search } = this;
    const limits = { chars: chars.value.trim(), search: search.value };
    const rules = { dialect: dialect.value, strict: strict.value, ...limits };
    return {
      ...rules,
      name: name.value.trim(),
      url: url.value.trim(),
      key: key.value.trim(),
      api: api.value,
      models: this.choice.models,
      shared: shared.checked,
      dropsKey: dropsKey.checked,
    };
  }

  /** Whether the form can be sent; says at each field what is wrong. */
  #check() {
    const faults = faultsOf(this.#values, this.known ? [] : this.taken);
    this.#mark(this.name, faults.name);
    this.#mark(this.url, faults.base_url);
    this.#mark(this.chars, faults.chars);
    const words = Object.values(faults);
    if (words.length > 0) fill(this.messages, notice("error", words.join(" ")));
    const first = faults.base_url ? this.url : faults.name ? this.name : faults.chars ? this.chars : null;
    first?.closest("details")?.setAttribute("open", "");
    first?.focus();
    return first === null;
  }

  /** @param {HTMLElement} field @param {string | undefined} fault */
  #mark(field, fault) {
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }

  #test() {
    return this.#attempt(t`Asking the provider…`, async () => {
      const tested = await this.actions.api.testProvider(this.known?.name ?? "", bodyOf(this.#values));
      const { models, dialect } = tested;
      this.choice.showModels(models);
      if (dialect !== null) this.dialect.value = dialect;
      const words =
        models.length === 0
          ? t`It answers, and lists no model.`
          : counted(models.length, "It answers, and lists one model.", "It answers, and lists {0} models.");
      fill(this.messages, notice("good", words), changedTools(tested));
    });
  }

  #save() {
    return this.#attempt(t`Saving…`, async () => {
      const { name } = this.#values;
      await this.actions.api.saveProvider(this.known?.name ?? name, bodyOf(this.#values));
      this.key.value = "";
      announceSentence(t`The provider is saved`);
      this.actions.saved();
    });
  }

  /** @param {string} words meanwhile @param {() => Promise<void>} action */
  async #attempt(words, action) {
    if (this.#isBusy || !this.#check()) return;
    this.#isBusy = true;
    fill(this.messages, el("p", { class: "hint", role: "status" }, words));
    try {
      await action();
    } catch (failure) {
      fill(this.messages, notice("error", sentenceOf(failure)));
    } finally {
      this.#isBusy = false;
    }
  }
}
