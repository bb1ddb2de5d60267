// @ts-check
/** Adding a document or an MCP server: by address (asked by this browser, or the bridge), as a file, or pasted. */
import { t } from "../base/language.js";
import { el, fill, labelledField, link } from "../ui/dom.js";
import { viewAddress } from "../ui/router.js";
import { takeMaterial } from "./brought_material.js";
import { DocumentIntake } from "./document_intake.js";
import { filesPanel } from "../documents/files_panel.js";
import { alternativesTo } from "./fetch_alternatives.js";
import { tokenForm } from "./mcp_advice.js";
import { readAddress } from "../session/probe_frames.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */

export class AddServerView {
  /** @param {Parts} parts @param {string} url to begin with, may be empty */
  constructor(parts, url) {
    this.parts = parts;
    this.url = el("input", {
      type: "text",
      inputmode: "url",
      class: "mono",
      value: url,
      required: true,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "http://localhost:8000/openapi.json",
    });
    this.messages = el("div", { "aria-live": "polite" });
    this.question = el("div");
    this.intake = new DocumentIntake(parts, {
      messages: this.messages,
      question: this.question,
      alternatives: (url, code) => this.#alternatives(url, code),
    });
  }

  /** @param {HTMLElement} container */
  start(container) {
    fill(
      container,
      el("p", { class: "crumbs" }, link(t`Servers`, viewAddress("servers")), " / ", t`Add`),
      el("h1", null, t`Add a server`),
      el(
        "p",
        { class: "lead" },
        t`Bring what you have: an OpenAPI or Swagger 2.0 document, the address of its documentation or of the API, an MCP server, a Postman collection, a HAR file or curl commands. You review every operation before you accept anything.`,
      ),
      this.messages,
      this.question,
      el("div", { class: "columns three" }, this.#byAddress(), this.#byFile(), this.#byPaste()),
    );
    this.url.focus();
    const material = takeMaterial();
    if (material) void this.#addBrought(material);
  }

  stop() {}

  #byAddress() {
    const hint = t`This browser fetches it, so addresses on this computer, in your network or behind your VPN work.`;
    return el(
      "form",
      {
        class: "panel",
        "aria-label": t`By address`,
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void this.#fetch();
        },
      },
      el("h2", null, t`By address`),
      labelledField(t`Address of the document, its documentation, the API or an MCP server`, this.url, hint),
      el("button", { type: "submit", class: "primary" }, t`Fetch`),
    );
  }

  /** What another view's field was given. @param {import("./brought_material.js").Material} material */
  async #addBrought(material) {
    const { intake } = this;
    if ("files" in material) return intake.attemptIntake(async () => intake.addFiles(await material.files));
    if (/\s|^[[{]/.test(material.text.trim())) return intake.attemptIntake(() => intake.addPasted(material.text, {}));
    this.url.value = material.text.trim();
    await this.#fetch();
  }

  #byFile() {
    return filesPanel((choose) => this.intake.attemptIntake(async () => this.intake.addFiles(await choose())));
  }

  #byPaste() {
    const text = el("textarea", {
      rows: 7,
      class: "mono",
      spellcheck: "false",
      required: true,
      placeholder: t`openapi: 3.1.0\ninfo: …\n\nor: curl https://api.example/pets`,
    });
    const base = el("input", { type: "url", class: "mono", placeholder: "https://api.example/v1" });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const base_url = base.value.trim();
      void this.intake.attemptIntake(() => this.intake.addPasted(text.value, base_url ? { base_url } : {}));
    };
    return el(
      "form",
      { class: "panel", "aria-label": t`Pasted text`, onsubmit: submit },
      el("h2", null, t`Pasted text`),
      labelledField(
        t`Text of the document`,
        text,
        t`Or a Postman collection, a HAR file, curl commands: it is recognised.`,
      ),
      labelledField(t`Base address`, base, t`Only if the document does not name one.`),
      el("button", { type: "submit" }, t`Add the text`),
    );
  }

  #fetch() {
    return this.intake.attemptIntake(async () => this.intake.addFetched(readAddress(this.url.value)));
  }

  /** @param {URL} url @param {string} token of an MCP server */
  #addWithToken(url, token) {
    const bearer = /** @type {const} */ ({ type: "http", http_scheme: "bearer", value: token });
    const keep = (/** @type {string} */ id) => this.parts.credentials.saveCredential(id, url.origin, "*", bearer);
    return this.intake.attemptIntake(() => this.intake.addFetched(url, { "*": bearer }, keep));
  }

  /** An MCP server wants a login: at the authorization server that it names, or by a token. @param {URL} url */
  #loginForms(url) {
    const forms = el(
      "div",
      { class: "stack" },
      tokenForm((token) => void this.#addWithToken(url, token)),
    );
    void import("./login_view.js").then(({ mcpLoginForm }) =>
      forms.prepend(
        mcpLoginForm(
          this.parts,
          url,
          (credentials, keep) => void this.intake.attemptIntake(() => this.intake.addFetched(url, credentials, keep)),
        ),
      ),
    );
    return forms;
  }

  /** @param {URL} url @param {string} code */
  #alternatives(url, code) {
    if (code === "mcp_login") return this.#loginForms(url);
    return alternativesTo(url, code, this.parts, {
      askBridge: () => void this.intake.attemptIntake(() => this.intake.addOffered({ url: url.href })),
      useCompanion: async () => {
        this.intake.chosen.add(url.origin);
        await this.intake.attemptIntake(() => this.intake.addFetched(url));
      },
    });
  }
}
