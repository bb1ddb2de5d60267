// @ts-check
/** The environments of a server: one in use, others to switch to, and a form to add and change them. */
import { t, formatList } from "../base/language.js";
import { announceSentence, attemptAction, button, codeSpans, el, fill, labelledField } from "../ui/dom.js";
import { addressWords } from "./environment_switch.js";
import { Environments, isAt, MAX_ADDRESS, MAX_NAME, originOf, refusalOf, switchEnvironment } from "./environments.js";
import { readVariables, writeVariables } from "./variables.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("./environments.js").Environment} Environment */
/** @typedef {(success: string, action: () => Promise<void>) => Promise<void>} Attempt */

const VARIABLES_HINT = t`One a line: name = value. In Try it, {{name}} becomes the value just before the request. Secrets of the API belong under Credentials: variables are not encrypted, and the bridge sees where they are used.`;

export class EnvironmentsPanel {
  /** @param {Parts} parts @param {ServerDetail} server @param {Attempt} attempt says how a switch went where it stays: another address draws all this anew */
  constructor(parts, server, attempt) {
    this.parts = parts;
    this.server = server;
    this.attempt = attempt;
    this.environments = new Environments(parts.store, server.id);
    this.list = el("ul", { class: "plain-list environments", "aria-label": t`Environments` });
    this.form = el("div");
    this.message = el("div", { "aria-live": "polite" });
    this.add = button(t`Add an environment`, () => this.#edit(null));
    const hint = t`The same API at other addresses, with variables for the forms of its tools. They stay in this browser. Switching saves the address for models too.`;
    this.element = el(
      "section",
      { class: "panel", "aria-label": t`Environments` },
      el("h2", null, t`Environments`),
      el("p", { class: "hint" }, hint),
      this.list,
      this.add,
      this.form,
      this.message,
    );
    void this.#show();
  }

  #show() {
    return attemptAction(this.message, async () => {
      const { environments, parts, server } = this;
      const [list, used, saved] = await Promise.all([
        environments.listEnvironments(),
        environments.readUsed(server.base_url),
        parts.credentials.listCredentials(server.id),
      ]);
      fill(this.list, ...list.map((each) => this.#row(each, each.name === used?.name, saved)));
    });
  }

  /** @param {Environment} environment @param {boolean} isUsed @param {import("../types/types.js").CredentialName[]} saved */
  #row(environment, isUsed, saved) {
    const { name } = environment;
    const refusal = refusalOf(this.server, environment);
    const small = (/** @type {string} */ label) => ({ class: "quiet small", "aria-label": label });
    const use =
      isUsed || refusal ? null : button(t`Switch`, () => void this.#use(environment), small(t`Switch to ${name}`));
    return el(
      "li",
      { class: "environment" },
      el(
        "div",
        { class: "actions" },
        el("strong", null, name),
        isUsed ? el("span", { class: "badge good" }, t`in use`) : null,
      ),
      el("p", { class: "mono wrap" }, addressWords(environment)),
      el("p", { class: "hint" }, ...codeSpans(credentialsAt(environment, saved))),
      refusal ? el("p", { class: "hint" }, refusal) : null,
      el(
        "div",
        { class: "actions" },
        use,
        button(t`Edit`, () => this.#edit(environment, isUsed), small(t`Edit ${name}`)),
        button(t`Remove`, () => void this.#remove(name), { ...small(t`Remove ${name}`), class: "quiet small danger" }),
      ),
    );
  }

  /** @param {Environment} environment */
  #use(environment) {
    return this.attempt(t`${environment.name} is in use`, async () => {
      await switchEnvironment(this.parts, this.server.id, environment);
      await this.#show(); // with the same address, nobody else draws it
    });
  }

  /** @param {string} name */
  #remove(name) {
    return attemptAction(this.message, async () => {
      await this.environments.removeEnvironment(name);
      announceSentence(t`${name} is removed`);
      await this.#show();
      this.add.focus();
    });
  }

  /** @param {Environment | null} environment null: a new one @param {boolean} [isUsed] */
  #edit(environment, isUsed = false) {
    const { name, address, variables } = this.#inputs(environment);
    const save = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save({ name: name.value, base_url: address.value, variables: variables.value }, environment, isUsed);
    };
    const label = environment ? t`Edit ${environment.name}` : t`Add an environment`;
    const submit = el("button", { type: "submit" }, isUsed ? t`Save and use` : t`Save`);
    const fields = [
      labelledField(t`Name`, name),
      labelledField(
        t`Base address`,
        address,
        t`It may have variables in braces, for example https://{region}.api.example/v1.`,
      ),
      labelledField(t`Variables`, variables, VARIABLES_HINT),
    ];
    const actions = el(
      "div",
      { class: "actions" },
      submit,
      button(t`Cancel`, () => this.#close(), { class: "quiet" }),
    );
    fill(this.form, el("form", { class: "stack", onsubmit: save, "aria-label": label }, ...fields, actions));
    name.focus();
  }

  /** @param {Environment | null} environment */
  #inputs(environment) {
    const plain = { autocomplete: "off", spellcheck: "false", class: "mono" };
    const base = environment?.base_url ?? this.server.base_url;
    return {
      name: el("input", {
        type: "text",
        value: environment?.name ?? "",
        maxlength: MAX_NAME,
        required: true,
        autocomplete: "off",
      }),
      address: el("input", {
        ...plain,
        type: "text",
        inputmode: "url",
        value: base,
        maxlength: MAX_ADDRESS,
        required: true,
      }),
      variables: el("textarea", { ...plain, rows: 4, value: writeVariables(environment?.variables ?? []) }),
    };
  }

  #close() {
    fill(this.form);
    fill(this.message);
    this.add.focus();
  }

  /** The one in use takes its new address along; the first at the address that the server has is in use at once. @param {Environment} environment @param {boolean} isUsed */
  async #useSaved(environment, isUsed) {
    const { base_url } = this.server;
    const isHere = isAt(environment, base_url);
    if (isUsed && !isHere) await this.#use(environment);
    else if (isHere && (await this.environments.readUsed(base_url)) === null)
      await this.environments.noteUsed(environment.name, base_url);
  }

  /** @param {{name: string, base_url: string, variables: string}} typed @param {Environment | null} former @param {boolean} isUsed */
  #save(typed, former, isUsed) {
    return attemptAction(this.message, async () => {
      const environment = {
        name: typed.name.trim(),
        base_url: typed.base_url.trim(),
        variables: readVariables(typed.variables),
      };
      await this.environments.saveEnvironment(environment, former?.name);
      announceSentence(t`${environment.name} is saved in this browser`);
      this.#close();
      await this.#useSaved(environment, isUsed);
      await this.#show();
    });
  }
}

/** Which credentials go to an environment, by name. @param {Environment} environment @param {import("../types/types.js").CredentialName[]} saved */
export function credentialsAt(environment, saved) {
  const origin = originOf(environment);
  if (origin === "") return ""; // the address says what is wrong
  const names = saved
    .filter((each) => each.origin === origin)
    .map(({ scheme }) => (scheme === "*" ? t`custom, for every request` : `\`${scheme}\``));
  return names.length > 0
    ? t`Sends the credentials saved for ${origin}: ${formatList(names)}.`
    : t`No credential is saved for ${origin}.`;
}
