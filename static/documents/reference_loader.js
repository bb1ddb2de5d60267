// @ts-check
/**
 * Getting what a document refers to, from where this browser is: chosen files by name, addresses with the user's consent
 * for each origin, round by round, as files refer to further files. The bridge says what is missing and makes one text.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { counted, t, verbatim } from "../base/language.js";
import { addressOf, fileFor, isFile, nameOf } from "./document_files.js";
import { readAddress } from "../session/probe_frames.js";

/** @typedef {import("./document_files.js").DocumentFile} DocumentFile */
/** @typedef {import("../types/reference_types.js").Answer} Answer */
/** @typedef {import("../types/reference_types.js").Gathered} Gathered */
/** @typedef {import("../types/reference_types.js").Question} Question */
/** @typedef {import("../types/reference_types.js").Decisions} Decisions */
/** @typedef {import("../types/reference_types.js").Failure} Failure */

const MAX_FETCHED = 50;
const AT_ONCE = 4;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const TOO_MANY = t`This document refers to more than ${MAX_FETCHED} others, too many to fetch one by one. Download them, and add the folder as files.`;
const TOO_LARGE = t`The document and those it refers to are larger than 32 MiB together.`;
// Reasons go to the bridge, which writes them into the report of the document: English, as its own.
const LEFT_OUT = verbatim("You left it out.");
const NO_ADDRESS = verbatim("It is not an address.");
const NOT_CHOSEN = verbatim("It was not among the files.");

/** The user gave up, or nobody could be asked. */
export class LoadingStopped extends Error {
  /** @param {string[]} origins that were not decided yet */
  constructor(origins) {
    super(t`Nothing was changed.`);
    this.name = verbatim("LoadingStopped");
    this.origins = origins;
  }
}

export class ReferenceLoader {
  /**
   * @param {{api: Pick<import("../session/bridge_api.js").BridgeApi, "bundleDocument">,
   *   probes: Pick<import("../session/probe_frames.js").ProbeFrames, "fetchDocument">,
   *   following?: import("../types/document_types.js").Following}} parts
   * @param {(question: Question) => Promise<Answer | null>} ask null: stop
   * @param {Decisions} [decided] before, for the same server
   */
  constructor({ api, probes, following = {} }, ask, decided = { origins: {}, without: {} }) {
    this.api = api;
    this.probes = probes;
    this.following = following;
    this.ask = ask;
    /** @type {Decisions} */
    this.decisions = { origins: dictionaryOf(decided.origins), without: dictionaryOf(decided.without) };
    /** @type {DocumentFile[]} */
    this.files = [];
    /** @type {Record<string, string>} */
    this.texts = dictionaryOf({});
    /** Address to reason. @type {Record<string, string>} */
    this.leftOut = dictionaryOf(decided.without);
    this.fetched = 0;
  }

  /**
   * @param {{text: string, source_url: string}} document
   * @param {DocumentFile[]} [files] beside it
   * @returns {Promise<Gathered>}
   * @throws {LoadingStopped | import("../session/api_error.js").ApiError | Error} too many, or too large
   */
  async loadReferences({ text, source_url }, files = []) {
    this.#addFiles(files);
    for (;;) {
      this.#measure(text);
      const wanted = { text, source_url, texts: this.texts, left_out: this.leftOut };
      const made = await this.api.bundleDocument(wanted, this.following);
      const failures = made.problems.filter(({ url }) => !(url in this.leftOut));
      if (made.text === null) await this.#get(made.missing, source_url);
      else if (failures.length > 0) await this.#askAbout({ ...NOTHING, failures });
      else return { text: made.text, decisions: structuredClone(this.decisions) };
    }
  }

  /** @param {string[]} missing @param {string} source_url */
  async #get(missing, source_url) {
    for (const url of missing.filter(isFile)) {
      const file = fileFor(url, this.files);
      if (file) this.texts[url] = file.text;
    }
    const files = missing.filter((url) => isFile(url) && !(url in this.texts));
    const addresses = missing.filter((url) => !isFile(url) && URL.canParse(url));
    for (const url of missing) if (!URL.canParse(url)) this.leftOut[url] = NO_ADDRESS;
    const { origins } = this.decisions;
    const undecided = addresses.filter((url) => !Object.hasOwn(origins, new URL(url).origin));
    if (files.length + undecided.length > 0) {
      await this.#askAbout({ ...NOTHING, files, addresses: undecided, own: originOf(source_url) });
    }
    const consented = addresses.filter((url) => origins[new URL(url).origin]);
    for (const url of addresses) if (!consented.includes(url)) this.leftOut[url] = LEFT_OUT;
    const failures = await this.#fetch(consented);
    if (failures.length > 0) await this.#askAbout({ ...NOTHING, failures });
  }

  /** @param {string[]} urls @returns {Promise<Failure[]>} */
  async #fetch(urls) {
    this.fetched += urls.length;
    if (this.fetched > MAX_FETCHED) throw new Error(TOO_MANY);
    /** @type {Failure[]} */
    const failures = [];
    const { signal } = this.following;
    for (let start = 0; start < urls.length; start += AT_ONCE) {
      const some = urls.slice(start, start + AT_ONCE);
      await Promise.all(
        some.map(async (url) => {
          try {
            this.texts[url] = (await this.probes.fetchDocument(readAddress(url), {}, { signal })).text;
          } catch (failure) {
            signal?.throwIfAborted();
            failures.push({ url, reason: failure instanceof Error ? failure.message : String(failure) });
          }
        }),
      );
    }
    return failures;
  }

  /** @param {Question} question */
  async #askAbout(question) {
    const answer = await this.ask(question);
    if (answer === null) throw new LoadingStopped([...new Set(question.addresses.map((url) => new URL(url).origin))]);
    Object.assign(this.decisions.origins, answer.origins);
    this.#addFiles(answer.files);
    const isStuck = answer.files.length === 0;
    for (const url of isStuck ? question.files : []) this.leftOut[url] = NOT_CHOSEN;
    for (const { url, reason } of question.failures) {
      if (answer.isRetry) delete this.texts[url];
      else this.leftOut[url] = this.decisions.without[url] = reason;
    }
  }

  /** @param {DocumentFile[]} files */
  #addFiles(files) {
    this.files.push(...files);
    for (const { path, text } of files) this.texts[addressOf(path)] = text;
  }

  /** @param {string} text */
  #measure(text) {
    const total = Object.values(this.texts).reduce((sum, { length }) => sum + length, text.length);
    if (total > MAX_CHARACTERS) throw new Error(TOO_LARGE);
  }
}

/** @type {Question} */
const NOTHING = { files: [], addresses: [], failures: [], own: "" };

/** @param {string} url */
const originOf = (url) => (isFile(url) ? "" : new URL(url).origin);

/** @param {Question} question @returns {string} */
export function headlineOf({ files, addresses, failures }) {
  const count = files.length + addresses.length;
  if (count > 0)
    return counted(count, "This document refers to another document.", "This document refers to {0} other documents.");
  return counted(failures.length, "{1} cannot be used.", "{0} documents cannot be used.", nameOf(failures[0].url));
}
