// @ts-check
/** The credentials of one server. They are encrypted in this browser and leave it only in requests to that server. */
import { sharedOriginHint } from "./shared_origin.js";
import { dictionaryOf, memberOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { PLACE, announceSentence, button, el, fill, inText, labelledField, notice, sentenceOf } from "../ui/dom.js";
import { descriptionView } from "../markdown/description.js";
import { formatDay } from "../base/time_format.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").SecurityScheme} SecurityScheme */
/** @typedef {import("../types/types.js").CredentialName} CredentialName */
/** @typedef {{id: string, label: string, hint: string, fields: string[], read: (values: Record<string, string>) => any}} Choice */

const LABELS = dictionaryOf({
  value: t`Token or key`,
  username: t`User name`,
  password: t`Password`,
  name: t`Name of the header or parameter`,
});

/** @param {SecurityScheme} scheme */
function describeScheme(scheme) {
  if (scheme.type === "apiKey")
    return scheme.in === "query"
      ? t`API key in the query parameter ${scheme.name ?? ""}`
      : t`API key in the header ${scheme.name ?? ""}`;
  if (scheme.type === "http")
    return scheme.http_scheme?.toLowerCase() === "basic" ? t`name and password` : t`${scheme.http_scheme ?? ""} token`;
  return scheme.type === "mutualTLS" ? t`client certificate` : t`access token`;
}

/** @param {SecurityScheme} scheme @returns {Choice | null} null: a page cannot send it */
function schemeChoice(scheme) {
  const isCookie = scheme.type === "apiKey" && scheme.in === "cookie";
  if (isCookie || scheme.type === "mutualTLS") return null;
  const isBasic = scheme.type === "http" && scheme.http_scheme?.toLowerCase() === "basic";
  return {
    id: scheme.scheme,
    label: `${scheme.scheme}: ${describeScheme(scheme)}`,
    hint: scheme.description ?? "",
    fields: isBasic ? ["username", "password"] : ["value"],
    read: (values) => (isBasic ? { username: values.username, password: values.password } : { value: values.value }),
  };
}

const EVERY = t`For every request of this server, whatever its document says.`;
/** @type {Choice[]} */
const CUSTOM = [
  {
    id: "bearer",
    label: t`Custom: bearer token`,
    hint: EVERY,
    fields: ["value"],
    read: ({ value }) => ({ type: "http", http_scheme: "bearer", value }),
  },
  {
    id: "header",
    label: t`Custom: header`,
    hint: EVERY,
    fields: ["name", "value"],
    read: ({ name, value }) => ({ type: "apiKey", in: "header", name, value }),
  },
  {
    id: "query",
    label: t`Custom: query parameter`,
    hint: EVERY,
    fields: ["name", "value"],
    read: ({ name, value }) => ({ type: "apiKey", in: "query", name, value }),
  },
  {
    id: "basic",
    label: t`Custom: name and password`,
    hint: EVERY,
    fields: ["username", "password"],
    read: ({ username, password }) => ({ type: "http", http_scheme: "basic", username, password }),
  },
];

/**
 * Removes a credential; logins are ended at their server as well.
 * @param {import("../types/view_types.js").Parts} parts
 * @param {import("../types/oauth_types.js").LoginPlace} place
 * @returns {Promise<string>} what became of the logins; "" for other credentials
 */
export async function removeCredential(parts, place) {
  const { serverId, origin, scheme } = place;
  const stored = memberOf(await parts.credentials.loadCredentials(serverId, origin), scheme) ?? {};
  if ("oauth" in stored) return (await import("./login_view.js")).forgetLogins(parts, place);
  await parts.credentials.removeCredential(serverId, origin, scheme);
  return "";
}

export class CredentialsView {
  /** @param {import("../types/view_types.js").Parts} parts @param {ServerDetail} server */
  constructor(parts, server) {
    this.parts = parts;
    this.credentials = parts.credentials;
    this.server = server;
    this.schemes = server.security_schemes.map(schemeChoice).filter((choice) => choice !== null);
    this.saved = el("ul", { class: "plain-list", "aria-label": t`Saved credentials` });
    this.fields = el("div");
    this.message = el("div");
    this.element = this.#credentialForm();
    const stop = parts.executor.onChanged("logins", () => (this.element.isConnected ? void this.#showSaved() : stop()));
    void this.#showSaved();
  }

  #credentialForm() {
    if (this.server.origins.length === 0) {
      return el(
        "section",
        { class: "panel" },
        el("h2", null, t`Credentials`),
        el("p", { class: "hint" }, t`Give the server a base address first.`),
      );
    }
    const promise = t`Stored encrypted in this browser and sent only to the chosen address. The bridge and the models never see them.`;
    return el(
      "form",
      {
        class: "panel",
        "aria-label": t`Credentials`,
        onsubmit: (/** @type {Event} */ event) => void this.#save(event),
      },
      el("h2", null, t`Credentials`),
      el("p", { class: "hint" }, promise),
      sharedOriginHint(),
      this.saved,
      labelledField(t`Kind`, this.#kindSelect()),
      this.fields,
      this.#originSelect(),
      el("button", { type: "submit" }, t`Save in this browser`),
      this.message,
    );
  }

  #kindSelect() {
    const option = (/** @type {string} */ group) => (/** @type {Choice} */ choice, /** @type {number} */ index) =>
      el("option", { value: `${group}${index}` }, choice.label);
    const declared = this.schemes.map(option("s"));
    this.kind = el(
      "select",
      { name: "kind", onchange: () => this.#showFields() },
      declared.length > 0 ? el("optgroup", { label: t`From the document` }, ...declared) : null,
      el("optgroup", { label: t`Your own` }, ...CUSTOM.map(option("c"))),
    );
    this.#showFields();
    return this.kind;
  }

  /** @returns {{choice: Choice, scheme: string}} */
  #chosenScheme() {
    const [group, ...digits] = this.kind?.value ?? "c0";
    const choice = (group === "s" ? this.schemes : CUSTOM)[Number(digits.join(""))];
    return { choice, scheme: group === "s" ? choice.id : "*" };
  }

  #showFields() {
    const { choice } = this.#chosenScheme();
    const inputs = choice.fields.map((name) => {
      const isSecret = name === "value" || name === "password";
      const input = el("input", {
        name,
        type: isSecret ? "password" : "text",
        required: name !== "password",
        autocomplete: "off",
        spellcheck: "false",
      });
      return labelledField(LABELS[/** @type {keyof typeof LABELS} */ (name)], input);
    });
    fill(this.fields, el("div", { class: "hint" }, descriptionView(choice.hint)), ...inputs);
  }

  #originSelect() {
    const { origins } = this.server;
    if (origins.length === 1)
      return el("p", { class: "hint" }, ...inText(t`Sent to ${PLACE}`, el("code", null, origins[0])));
    return labelledField(
      t`Sent to`,
      el("select", { name: "origin" }, ...origins.map((origin) => el("option", null, origin))),
    );
  }

  /** @param {Event} event */
  async #save(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const given = new FormData(form);
    const { choice, scheme } = this.#chosenScheme();
    const values = Object.fromEntries(choice.fields.map((name) => [name, String(given.get(name) ?? "")]));
    const origin = String(given.get("origin") ?? this.server.origins[0]);
    try {
      await this.credentials.saveCredential(this.server.id, origin, scheme, choice.read(values));
      for (const input of this.fields.querySelectorAll("input")) input.value = "";
      fill(this.message, notice("good", t`Saved in this browser.`));
      await this.#showSaved();
    } catch (failure) {
      fill(this.message, notice("error", sentenceOf(failure)));
    }
  }

  async #showSaved() {
    const saved = await this.credentials.listCredentials(this.server.id);
    fill(this.saved, ...saved.map((entry) => this.#savedRow(entry)));
  }

  /** @param {CredentialName} entry */
  #savedRow({ origin, scheme, saved_at }) {
    const name = scheme === "*" ? t`custom, for every request` : scheme;
    const remove = async () => {
      const said = await removeCredential(this.parts, { serverId: this.server.id, origin, scheme }).catch(sentenceOf);
      if (said) fill(this.message, notice("note", said));
      announceSentence(said || t`Credential ${name} removed`);
      await this.#showSaved();
    };
    const isUsed = this.server.origins.includes(origin);
    const when = formatDay(new Date(saved_at).getTime());
    return el(
      "li",
      { class: "saved" },
      el(
        "span",
        null,
        el("strong", null, name),
        el("span", { class: "facts" }, t`${origin} · saved ${when}`),
        isUsed ? null : el("span", { class: "badge warning" }, t`not used: another address`),
      ),
      button(t`Remove`, () => void remove(), { class: "quiet small", "aria-label": t`Remove the credential ${name}` }),
    );
  }
}
