// @ts-check
/** Adding a document or an MCP server: by address (asked by this browser, or the bridge), as a file, or pasted. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, labelledField, link, notice, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { viewAddress, goTo } from "../ui/router.js";
import { ChosenProbes } from "../documents/chosen_probes.js";
import { readFiles } from "../documents/file_picker.js";
import { documentsAmong } from "../documents/document_choice.js";
import { takeMaterial } from "./brought_material.js";
import { addressOf } from "../documents/document_files.js";
import { filesPanel } from "../documents/files_panel.js";
import { alternativesTo } from "./fetch_alternatives.js";
import { tokenForm } from "./mcp_advice.js";
import { ProbeError, readAddress } from "../session/probe_frames.js";
import { ReferenceLoader } from "../documents/reference_loader.js";
import { askForPlace, isUsable, searchDocuments, takeText } from "../documents/brought_document.js";
import { isAddress } from "../conversion/recognition.js";
import { askAboutReferences, askForDocument } from "../documents/reference_dialog.js";
import { chooseCompanion } from "./companion_grant.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").NewServer} NewServer */
/** @typedef {import("../documents/document_files.js").DocumentFile} DocumentFile */
/** @typedef {import("../types/reference_types.js").Question} Question */

/** Failures with which something answered: its document may be elsewhere. */
const SEARCHED = new Set(["web_page", "http_status", "empty", "not_a_document"]);

const READING = () => notice("note", t`Reading the document…`);

export class AddServerView {
  /** @param {Parts} parts @param {string} url to begin with, may be empty */
  constructor(parts, url) {
    this.parts = parts;
    /** Origins that the user lets the companion fetch from. @type {Set<string>} */
    this.chosen = new Set();
    this.probes = new ChosenProbes(parts.probes, (origin) => this.chosen.has(origin));
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
    if ("files" in material) return this.#attempt(async () => this.#addFiles(await material.files));
    if (/\s|^[[{]/.test(material.text.trim())) return this.#attempt(() => this.#addPasted(material.text, {}));
    this.url.value = material.text.trim();
    await this.#fetch();
  }

  #byFile() {
    return filesPanel((choose) => this.#attempt(async () => this.#addFiles(await choose())));
  }

  /** @param {import("../documents/file_picker.js").Chosen[]} chosen */
  async #addFiles(chosen) {
    const files = await readFiles(chosen);
    const document = await this.#documentOf(files);
    if (document === null) return;
    const others = files.filter((file) => file !== document);
    const text = await takeText(this.question, document.text);
    if (text !== null) await this.#gather({ text, source_url: addressOf(document.path) }, {}, others);
  }

  /** @param {DocumentFile[]} files @returns {Promise<DocumentFile | null>} null: the user gave up */
  async #documentOf(files) {
    const candidates = documentsAmong(files);
    if (candidates.length === 0) throw new Error(t`None of these files begins with \`openapi\` or \`swagger\`.`);
    return candidates.length === 1 ? candidates[0] : askForDocument(this.question, candidates);
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
      void this.#attempt(() => this.#addPasted(text.value, base_url ? { base_url } : {}));
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

  /** @param {string} pasted @param {NewServer} offered */
  async #addPasted(pasted, offered) {
    if (isAddress(pasted)) return this.#addFetched(readAddress(pasted));
    const text = await takeText(this.question, pasted);
    if (text !== null) await this.#gather({ text, source_url: addressOf("pasted") }, offered);
  }

  async #fetch() {
    await this.#attempt(async () => {
      const url = readAddress(this.url.value);
      fill(this.messages, notice("note", t`Fetching ${url.href}. If the browser asks for permission, allow it.`));
      await this.#addFetched(url);
    });
  }

  /**
   * @param {URL} url
   * @param {import("../types/types.js").CredentialSet} [credentials] of an MCP server
   * @param {(serverId: string) => Promise<void>} [keep] stores them once the server is there
   */
  async #addFetched(url, credentials = {}, keep = async () => undefined) {
    const fetched = await this.#fetchHere(url, credentials);
    if (fetched === null) return;
    if (!isUsable(fetched.text) && (await this.#addFound(url, null))) return;
    const text = await takeText(this.question, fetched.text);
    if (text === null) return;
    const isOwn = text === fetched.text; // what was converted is not at the address
    const server = await this.#gather({ ...fetched, text }, isOwn ? { source_url: fetched.source_url } : {});
    await keep(server.id);
    if (this.chosen.has(url.origin)) await chooseCompanion(this.parts, server.id, url.origin);
  }

  /** What is there is no document: it may be its documentation, or the API itself. @param {URL} url @param {import("../types/probe_wire.js").FetchedDocument | null} page @returns {Promise<boolean>} whether anything was found */
  async #addFound(url, page) {
    fill(this.messages, notice("note", t`Looking for a document from ${url.href}…`));
    const places = (await searchDocuments(this.probes, url, page)).filter((place) => place.url !== url.href);
    fill(this.messages);
    if (places.length === 0) return false;
    const chosen = await askForPlace(this.question, url, places);
    if (chosen !== null) await this.#addFetched(chosen);
    return true;
  }

  /** @param {URL} url @param {string} token of an MCP server */
  #addWithToken(url, token) {
    const bearer = /** @type {const} */ ({ type: "http", http_scheme: "bearer", value: token });
    const keep = (/** @type {string} */ id) => this.parts.credentials.saveCredential(id, url.origin, "*", bearer);
    return this.#attempt(() => this.#addFetched(url, { "*": bearer }, keep));
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
          (credentials, keep) => void this.#attempt(() => this.#addFetched(url, credentials, keep)),
        ),
      ),
    );
    return forms;
  }

  /** @param {URL} url @param {import("../types/types.js").CredentialSet} credentials @returns {Promise<import("../types/probe_wire.js").FetchedDocument | null>} null: failed, and the way on is offered */
  async #fetchHere(url, credentials) {
    try {
      return await this.probes.fetchDocument(url, credentials);
    } catch (failure) {
      const code = failure instanceof Error && "code" in failure ? String(failure.code) : "";
      const page = failure instanceof ProbeError ? (failure.page ?? null) : null;
      if (SEARCHED.has(code) && (await this.#addFound(url, page))) return null;
      fill(this.messages, notice("error", sentenceOf(failure)), this.#alternatives(url, code));
      return null;
    }
  }

  /** @param {URL} url @param {string} code */
  #alternatives(url, code) {
    if (code === "mcp_login") return this.#loginForms(url);
    return alternativesTo(url, code, this.parts, {
      askBridge: () => void this.#attempt(async () => void (await this.#add({ url: url.href }))),
      useCompanion: async () => {
        this.chosen.add(url.origin);
        await this.#attempt(() => this.#addFetched(url));
      },
    });
  }

  /**
   * Gets what the document refers to, and adds it all as one.
   * @param {{text: string, source_url: string}} document
   * @param {NewServer} offered what else is known of it
   * @param {DocumentFile[]} [files] beside it
   */
  async #gather(document, offered, files = []) {
    fill(this.messages, READING());
    const ask = async (/** @type {Question} */ question) => {
      fill(this.messages);
      const answer = await askAboutReferences(this.question, question);
      fill(this.messages, READING());
      return answer;
    };
    const { text, decisions } = await new ReferenceLoader(
      { api: this.parts.api, probes: this.probes },
      ask,
    ).loadReferences(document, files);
    return this.#add({ ...offered, text }, decisions);
  }

  /** @param {NewServer} offered @param {import("../types/reference_types.js").Decisions} [decisions] */
  async #add(offered, decisions) {
    fill(this.messages, READING());
    const server = await this.parts.api.addServer(offered);
    if (decisions) await this.parts.references.saveDecisions(server.id, decisions);
    announceSentence(t`${server.title} added with ${formatCount(server.operations, "operation")}`);
    goTo("servers", server.id, "review");
    await this.parts.inventory.loadInventory();
    return server;
  }

  /** @param {() => Promise<void>} action */
  async #attempt(action) {
    fill(this.messages);
    fill(this.question);
    try {
      await action();
    } catch (failure) {
      const pointer =
        failure instanceof Error && "detail" in failure ? /** @type {any} */ (failure.detail).pointer : "";
      fill(
        this.messages,
        notice("error", sentenceOf(failure), pointer ? el("code", { class: "code-tag" }, String(pointer)) : null),
      );
    }
  }
}
