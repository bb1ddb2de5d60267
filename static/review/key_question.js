// @ts-check
/** The keys that a new API wants, asked for where it is reviewed: what is typed is saved in this browser when it is accepted. */
import { t } from "../base/language.js";
import { el, labelledField } from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").SecurityScheme} SecurityScheme */

/** An API that knows more kinds of keys is served better by its list of credentials. */
const MOST_KEYS = 2;

/** @param {SecurityScheme} scheme of one value, which a page can send */
const isKey = ({ type, in: place, http_scheme }) =>
  (type === "apiKey" && place !== "cookie") || (type === "http" && http_scheme?.toLowerCase() === "bearer");

/** @param {SecurityScheme} scheme */
function labelOf({ type, in: place, name: given }) {
  const name = given ?? "";
  if (type === "http") return t`Bearer token`;
  return place === "query" ? t`Key for the query parameter ${name}` : t`Key for the header ${name}`;
}

export class KeyQuestion {
  /** @param {ServerDetail} server */
  constructor(server) {
    const { kind, decided, origins, security_schemes } = server;
    const keys = kind === "mcp" || decided || origins.length !== 1 ? [] : security_schemes.filter(isKey);
    this.server = server;
    this.asked = (keys.length > MOST_KEYS ? [] : keys).map((scheme) => ({
      scheme: scheme.scheme,
      field: keyField(scheme),
    }));
    this.element = this.asked.length > 0 ? this.#panel() : null;
  }

  #panel() {
    const hint = t`Stored encrypted in this browser when you accept, and sent only to ${this.server.origins[0]}. You can also add it later.`;
    const fields = this.asked.map(({ field }) => field.element);
    return el(
      "section",
      { class: "panel", "aria-label": t`Key of this API` },
      el("h2", null, t`This API wants a key`),
      ...fields,
      el("p", { class: "hint" }, hint),
    );
  }

  /** @param {Pick<import("../executor/credentials.js").Credentials, "saveCredential">} credentials */
  async saveKeys(credentials) {
    const [origin] = this.server.origins;
    for (const { scheme, field } of this.asked) {
      const value = field.input.value.trim();
      if (value !== "") await credentials.saveCredential(this.server.id, origin, scheme, { value });
    }
  }
}

/** @param {SecurityScheme} scheme */
function keyField(scheme) {
  const input = el("input", { type: "password", autocomplete: "off", spellcheck: "false" });
  return { input, element: labelledField(labelOf(scheme), input) };
}
