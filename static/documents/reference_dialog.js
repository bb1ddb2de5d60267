// @ts-check
/** Asking about the documents that a document refers to: which to load, which files are missing, what failed. */
import { t } from "../base/language.js";
import { button, el, fill, labelledField } from "../ui/dom.js";
import { filesOf, FILE_TYPES, readFiles } from "./file_picker.js";
import { nameOf } from "./document_files.js";
import { formatCount } from "../ui/format_count.js";
import { headlineOf } from "./reference_loader.js";

/** @typedef {import("../types/reference_types.js").Answer} Answer */
/** @typedef {import("../types/reference_types.js").Question} Question */
/** @typedef {import("./document_files.js").DocumentFile} DocumentFile */
/** @typedef {{element: HTMLElement, answer: () => Promise<Partial<Answer>>}} Part */

const FETCHED = t`This browser fetches them over its own network.`;
const COST = t`Operations that depend on what you leave out are left out too; the others work.`;

/**
 * @param {Element} container
 * @param {Question} question
 * @returns {Promise<Answer | null>} null: the user gave up
 */
export function askAboutReferences(container, question) {
  return new Promise((resolve, reject) => {
    const parts = [...originParts(question), ...fileParts(question), ...failureParts(question)];
    /** @param {boolean} isRetry */
    const decide = async (isRetry) => {
      try {
        const answers = await Promise.all(parts.map(({ answer }) => answer()));
        fill(container);
        resolve(mergeAnswers(answers, isRetry));
      } catch (failure) {
        reject(failure);
      }
    };
    const cancel = () => {
      fill(container);
      resolve(null);
    };
    fill(container, dialogPanel(question, parts, decide, cancel));
    container.querySelector("h2")?.focus();
  });
}

/** @param {Partial<Answer>[]} answers @param {boolean} isRetry @returns {Answer} */
function mergeAnswers(answers, isRetry) {
  return {
    origins: Object.assign({}, ...answers.map(({ origins }) => origins)),
    files: answers.flatMap(({ files = [] }) => files),
    isRetry,
  };
}

/** @param {Question} question @param {Part[]} parts @param {(isRetry: boolean) => void} decide @param {() => void} cancel */
function dialogPanel(question, parts, decide, cancel) {
  const isFailure = question.failures.length > 0;
  const actions = isFailure
    ? [button(t`Try again`, () => decide(true)), button(t`Continue without`, () => decide(false), { class: "primary" })]
    : [button(t`Continue`, () => decide(false), { class: "primary" })];
  return el(
    "section",
    { class: "panel references", "aria-label": t`Documents it refers to` },
    el("h2", { tabindex: "-1" }, headlineOf(question)),
    el("p", { class: "hint" }, question.addresses.length > 0 ? `${FETCHED} ${COST}` : COST),
    ...parts.map(({ element }) => element),
    el("div", { class: "actions" }, ...actions, button(t`Cancel`, cancel, { class: "quiet" })),
  );
}

/** @param {Question} question @returns {Part[]} */
function originParts({ addresses, own }) {
  const origins = [...new Set(addresses.map((url) => new URL(url).origin))];
  return origins.map((origin) => {
    const urls = addresses.filter((url) => new URL(url).origin === origin);
    const box = el("input", { type: "checkbox", checked: true });
    const count = formatCount(urls.length, "document");
    const words =
      origin === own ? t`Load ${count} from ${origin}, where the document itself is` : t`Load ${count} from ${origin}`;
    const label = el("label", { class: "check" }, box, words);
    return {
      element: el("div", null, label, nameList(urls.map((url) => url.slice(origin.length)))),
      answer: async () => ({ origins: { [origin]: box.checked } }),
    };
  });
}

/** @param {Question} question @returns {Part[]} */
function fileParts({ files }) {
  if (files.length === 0) return [];
  const input = el("input", { type: "file", multiple: true, accept: FILE_TYPES });
  const hint = t`Choose them all together; files you do not choose are left out.`;
  return [
    {
      element: el(
        "div",
        null,
        el("p", null, t`Not among the files:`),
        nameList(files.map(nameOf)),
        labelledField(t`Add the files`, input, hint),
      ),
      answer: async () => ({ files: await readFiles(filesOf(input.files ?? [])) }),
    },
  ];
}

/** @param {Question} question @returns {Part[]} */
function failureParts({ failures }) {
  if (failures.length === 0) return [];
  const rows = failures.map(({ url, reason }) =>
    el("li", null, el("code", { class: "wrap" }, nameOf(url)), el("span", null, ` ${reason}`)),
  );
  return [{ element: el("ul", { class: "plain-list" }, ...rows), answer: async () => ({}) }];
}

/** @param {string[]} names */
function nameList(names) {
  return el("ul", { class: "plain-list" }, ...names.map((name) => el("li", null, el("code", { class: "wrap" }, name))));
}

/**
 * @param {Element} container
 * @param {DocumentFile[]} candidates two or more
 * @returns {Promise<DocumentFile | null>} null: the user gave up
 */
export function askForDocument(container, candidates) {
  return new Promise((resolve) => {
    /** @param {DocumentFile | null} file */
    const end = (file) => {
      fill(container);
      resolve(file);
    };
    const choices = candidates.map((file) => button(file.path, () => end(file), { class: "mono" }));
    fill(
      container,
      el(
        "section",
        { class: "panel references", "aria-label": t`Which document` },
        el("h2", { tabindex: "-1" }, t`${candidates.length} of the files are documents. Which one do you mean?`),
        el(
          "div",
          { class: "actions" },
          ...choices,
          button(t`Cancel`, () => end(null), { class: "quiet" }),
        ),
      ),
    );
  });
}
