// @ts-check
/** Taking in what a user brings, until the review of it: each step says what it does and how far it is, and can be ended. */
import { t } from "../base/language.js";
import { announceSentence, el, fill, link, notice, sentenceOf } from "../ui/dom.js";
import { formatCount } from "../ui/format_count.js";
import { viewAddress, goTo } from "../ui/router.js";
import { WorkProgress } from "../documents/work_progress.js";
import { ChosenProbes } from "../documents/chosen_probes.js";
import { isAddress } from "../documents/document_places.js";
import { readFiles } from "../documents/file_picker.js";
import { addressOf } from "../documents/document_files.js";
import { ReferenceLoader } from "../documents/reference_loader.js";
import { askForPlace, searchDocuments, takeText } from "../documents/brought_document.js";
import { askAboutReferences, askForDocument } from "../documents/reference_dialog.js";
import { ProbeError, readAddress } from "../session/probe_frames.js";
import { chooseCompanion } from "./companion_grant.js";

/** @typedef {import("../types/view_types.js").Parts} Parts */
/** @typedef {import("../types/api_types.js").NewServer} NewServer */
/** @typedef {import("../types/document_types.js").Following} Following */
/** @typedef {import("../types/probe_wire.js").FetchedDocument} FetchedDocument */
/** @typedef {import("../documents/document_files.js").DocumentFile} DocumentFile */
/** @typedef {{messages: HTMLElement, question: HTMLElement, alternatives: (url: URL, code: string) => Node | null}} Places  `alternatives`: what else can be done about an address that failed */

/** Failures with which something answered: its document may be elsewhere. */
const SEARCHED = new Set(["web_page", "http_status", "empty", "not_a_document"]);

export class DocumentIntake {
  /** Ends what is under way. */
  #end = new AbortController();
  /** @type {WorkProgress | null} */
  #progress = null;

  /** @param {Parts} parts @param {Places} places */
  constructor(parts, places) {
    this.parts = parts;
    this.places = places;
    /** Origins that the user lets the companion fetch from. @type {Set<string>} */
    this.chosen = new Set();
    this.probes = new ChosenProbes(parts.probes, (origin) => this.chosen.has(origin));
  }

  /** One after the other: another one ends the one before. @param {() => Promise<unknown>} action */
  async attemptIntake(action) {
    this.#end.abort();
    const end = new AbortController();
    const progress = new WorkProgress(() => end.abort());
    const known = new Set(this.parts.inventory.servers.map(({ id }) => id));
    this.#end = end;
    this.#progress = progress;
    fill(this.places.messages);
    fill(this.places.question);
    try {
      await action();
    } catch (failure) {
      if (this.#end === end) await (end.signal.aborted ? this.#tellEnd(known) : this.#explain(failure));
    } finally {
      progress.stop();
    }
  }

  /** @param {import("../documents/file_picker.js").Chosen[]} chosen */
  async addFiles(chosen) {
    this.#say(t`Reading the document…`);
    const files = await readFiles(chosen);
    const document = await this.#documentOf(files);
    if (document === null) return;
    const others = files.filter((file) => file !== document);
    await this.#addText({ text: document.text, source_url: addressOf(document.path) }, {}, others);
  }

  /** @param {string} pasted @param {NewServer} offered */
  async addPasted(pasted, offered) {
    if (isAddress(pasted)) return this.addFetched(readAddress(pasted));
    await this.#addText({ text: pasted, source_url: addressOf("pasted") }, offered);
  }

  /**
   * @param {URL} url
   * @param {import("../types/types.js").CredentialSet} [credentials] of an MCP server
   * @param {(serverId: string) => Promise<void>} [keep] stores them once the server is there
   */
  async addFetched(url, credentials = {}, keep = async () => undefined) {
    this.#say(t`Fetching ${url.href}. If the browser asks for permission, allow it.`);
    const fetched = await this.#fetchHere(url, credentials);
    if (fetched === null) return;
    const { signal } = this.#end;
    const known = await this.parts.api.askWorker("recognise", fetched.text, { signal });
    if (!known.isUsable && (await this.#addFound(url, null))) return;
    const text = await takeText(this.#asking(), fetched.text, known.converted);
    if (text === null) return;
    const isOwn = text === fetched.text; // what was converted is not at the address
    const offered = isOwn ? { source_url: fetched.source_url } : {};
    const server = await this.#gather({ ...fetched, text }, offered, known.operations);
    await keep(server.id);
    if (this.chosen.has(url.origin)) await chooseCompanion(this.parts, server.id, url.origin);
  }

  /** What the bridge is to fetch. @param {NewServer} offered */
  async addOffered(offered) {
    this.#say(t`Reading the document…`);
    await this.#add(offered, null);
  }

  /** Which of them is the document. @param {DocumentFile[]} files @returns {Promise<DocumentFile | null>} null: the user gave up */
  async #documentOf(files) {
    const { signal } = this.#end;
    const places = await this.parts.api.askWorker("chooseAmong", files, { signal });
    const candidates = places.map((place) => files[place]);
    if (candidates.length === 0) throw new Error(t`None of these files begins with \`openapi\` or \`swagger\`.`);
    return candidates.length === 1 ? candidates[0] : askForDocument(this.#asking(), candidates);
  }

  /** @param {FetchedDocument} brought @param {NewServer} offered @param {DocumentFile[]} [files] beside it */
  async #addText(brought, offered, files = []) {
    this.#say(t`Reading the document…`);
    const { signal } = this.#end;
    const known = await this.parts.api.askWorker("recognise", brought.text, { signal });
    const text = await takeText(this.#asking(), brought.text, known.converted);
    if (text !== null) await this.#gather({ ...brought, text }, offered, known.operations, files);
  }

  /** The answer may be the documentation of an API, or of the API itself. @param {URL} url @param {FetchedDocument | null} page @returns {Promise<boolean>} whether anything was found */
  async #addFound(url, page) {
    this.#say(t`Looking for a document from ${url.href}…`);
    const places = (await searchDocuments(this.probes, url, page, this.#following())).filter(
      (place) => place.url !== url.href,
    );
    this.#end.signal.throwIfAborted();
    if (places.length === 0) return false;
    const chosen = await askForPlace(this.#asking(), url, places);
    if (chosen !== null) await this.addFetched(chosen);
    return true;
  }

  /** @param {URL} url @param {import("../types/types.js").CredentialSet} credentials @returns {Promise<FetchedDocument | null>} null: failed, and the way on is offered */
  async #fetchHere(url, credentials) {
    try {
      return await this.probes.fetchDocument(url, credentials, this.#following());
    } catch (failure) {
      this.#end.signal.throwIfAborted();
      const code = failure instanceof Error && "code" in failure ? String(failure.code) : "";
      const page = failure instanceof ProbeError ? (failure.page ?? null) : null;
      if (SEARCHED.has(code) && (await this.#addFound(url, page))) return null;
      fill(this.places.messages, notice("error", sentenceOf(failure)), this.places.alternatives(url, code));
      return null;
    }
  }

  /**
   * Gets what the document refers to, and adds it all as one.
   * @param {FetchedDocument} document
   * @param {NewServer} offered what else is known of it
   * @param {number | null} operations how many it has, where that is known
   * @param {DocumentFile[]} [files] beside it
   */
  async #gather(document, offered, operations, files = []) {
    const begin = () => this.#sayReading(operations);
    const ask = async (/** @type {import("../types/reference_types.js").Question} */ question) => {
      const answer = await askAboutReferences(this.#asking(), question);
      begin();
      return answer;
    };
    begin();
    const needed = { api: this.parts.api, probes: this.probes, following: this.#following(begin) };
    const { text, decisions } = await new ReferenceLoader(needed, ask).loadReferences(document, files);
    return this.#add({ ...offered, text }, operations, decisions);
  }

  /** @param {NewServer} offered @param {number | null} operations @param {import("../types/reference_types.js").Decisions} [decisions] */
  async #add(offered, operations, decisions) {
    const { api, references, inventory } = this.parts;
    const begin = () => this.#sayReading(operations);
    begin();
    const server = await api.addServer(offered, this.#following(begin));
    if (decisions) await references.saveDecisions(server.id, decisions);
    await inventory.loadInventory(); // the review begins with how many there are
    announceSentence(t`${server.title} added with ${formatCount(server.operations, "operation")}`);
    goTo("servers", server.id, "review");
    return server;
  }

  /** @param {string} words what is done now */
  #say(words) {
    if (this.#progress === null) return;
    this.#progress.showStep(words);
    if (!this.#progress.element.isConnected) fill(this.places.messages, this.#progress.element);
  }

  /** @param {number | null} operations */
  #sayReading(operations) {
    this.#say(
      operations === null
        ? t`Reading the document…`
        : t`Reading ${formatCount(operations, "operation")} of the document…`,
    );
  }

  /** @param {() => void} [sent] all of it is on the way @returns {Following} */
  #following(sent = () => undefined) {
    return {
      signal: this.#end.signal,
      onAmount: (amount) => (amount.bytes === amount.total ? sent() : this.#progress?.showAmount(amount)),
    };
  }

  /** Where the user is asked something: nothing goes on meanwhile. */
  #asking() {
    fill(this.places.messages);
    return this.places.question;
  }

  /** The user has ended it. The bridge may have been quicker. @param {Set<string>} known ids of servers that there were */
  async #tellEnd(known) {
    const { inventory } = this.parts;
    fill(this.places.question);
    await inventory.loadInventory().catch(() => undefined);
    const added = inventory.servers.find(({ id }) => !known.has(id));
    const told = added
      ? notice(
          "note",
          t`${added.title} was added before you cancelled. Nothing of it is accepted.`,
          " ",
          link(t`Review`, viewAddress("servers", added.id, "review")),
        )
      : notice("note", t`Cancelled. Nothing was added.`);
    told.tabIndex = -1;
    fill(this.places.messages, told);
    told.focus();
  }

  /** @param {unknown} failure */
  #explain(failure) {
    const pointer = failure instanceof Error && "detail" in failure ? /** @type {any} */ (failure.detail).pointer : "";
    const where = pointer ? el("code", { class: "code-tag" }, String(pointer)) : null;
    fill(this.places.messages, notice("error", sentenceOf(failure), where));
  }
}
