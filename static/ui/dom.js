// @ts-check
/**
 * Building elements. Foreign text only ever becomes a text node or an attribute value; nothing here parses HTML. In what users read,
 * marks that hide or reorder it are written out, whoever chose it; what they copy or edit stays as it is.
 */
import { t, errorSentence } from "../base/language.js";
import { escapeMarks } from "../base/untrusted_text.js";
import { drawing, icon } from "./icon.js";

/** @typedef {import("../types/icon_names.d.ts").IconName} IconName */
/** @typedef {Node | string | number | bigint | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Properties  `on…` = listener, `dataset` = object, `icon` and `drawing` = the name of one before the text, `class`, `aria-…` and the rest = attributes */

/** Attributes that are read or spoken. */
const TOLD = new Set(["alt", "aria-description", "aria-label", "label", "placeholder", "title"]);
/** Elements whose text is given on as it is. */
const KEPT = new Set(["pre", "textarea"]);

let serial = 0;

/** An id unique in this page, for labels and descriptions. @param {string} stem */
export function freshId(stem) {
  serial += 1;
  return `${stem}-${serial}`;
}

/**
 * @param {HTMLElement} element
 * @param {string} name
 * @param {unknown} value
 */
function setProperty(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "drawing") element.prepend(drawing(/** @type {import("./icon.js").Drawing} */ (value)));
  else if (name === "icon") element.prepend(icon(/** @type {IconName} */ (value)));
  else if (name === "value" && "value" in element) element.value = value;
  else element.setAttribute(name, value === true ? "" : TOLD.has(name) ? escapeMarks(String(value)) : String(value));
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Properties | null} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  element.append(...nodesOf(element, children));
  for (const [name, value] of Object.entries(properties ?? {})) setProperty(element, name, value);
  return element;
}

/**
 * @param {Element} element in which they are shown
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodesOf(element, children) {
  const textOf = KEPT.has(element.localName) ? String : (/** @type {unknown} */ child) => escapeMarks(String(child));
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : textOf(child)));
}

/** Replaces everything inside. @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren(...nodesOf(element, children));
}

/**
 * @param {string} label
 * @param {(event: Event) => unknown} action
 * @param {Properties} [properties]
 */
export function button(label, action, properties = {}) {
  return el("button", { type: "button", onclick: action, ...properties }, label);
}

/** @param {string} label @param {string} href @param {Properties} [properties] */
export function link(label, href, properties = {}) {
  return el("a", { href, ...properties }, label);
}

/** The live region of the page: spoken, not shown. @param {string} sentence */
export function announceSentence(sentence) {
  const region = document.getElementById("announcements");
  if (region) fill(region, sentence);
}

/**
 * A button that copies; its own label confirms.
 * @param {string} label
 * @param {() => string | Promise<string>} text
 * @param {Properties} [properties]
 */
export function copyButton(label, text, properties = {}) {
  const words = el("span", null, label);
  const copy = async () => {
    const [shown, spoken] = await copyOf(text);
    words.textContent = shown;
    announceSentence(spoken);
    setTimeout(() => (words.textContent = label), 1500);
  };
  return el("button", { type: "button", onclick: copy, class: "quiet small", icon: "copy", ...properties }, words);
}

/** Copies, and gives what is shown and what is spoken of it. @param {() => string | Promise<string>} text @returns {Promise<[string, string]>} */
async function copyOf(text) {
  try {
    const copied = await copyText(await text());
    return copied ? [t`Copied`, t`Copied`] : [t`Press Ctrl+C`, t`The text is selected. Press Ctrl+C to copy it.`];
  } catch (failure) {
    return [t`Not copied`, sentenceOf(failure)];
  }
}

/** @param {string} text @returns {Promise<boolean>} */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For pages without clipboard permission. @param {string} text */
function copyBySelection(text) {
  const area = el("textarea", { class: "visually-hidden", readonly: true, value: text });
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

/** A sentence whose parts between backticks are code. @param {string} sentence @returns {(Node | string)[]} */
export function codeSpans(sentence) {
  return sentence.split("`").map((part, index) => (index % 2 === 1 ? el("code", null, part) : part));
}

/** A block of code with a copy button. @param {string} text @param {string} label what it is, for screen readers */
export function codeBlock(text, label) {
  const block = el("pre", { tabindex: "0", role: "region", "aria-label": label }, text);
  const copy = copyButton(t`Copy`, () => block.textContent ?? "", { "aria-label": t`Copy: ${label}` });
  return el("div", { class: "code" }, block, copy);
}

/**
 * A labelled input in the page's usual arrangement.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {Child} [hint]
 */
export function labelledField(label, control, hint) {
  control.id ||= freshId("field");
  const note = hint ? el("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, note);
}

/** @type {Map<string, IconName>} */
const TONES = new Map([
  ["error", "circle-alert"],
  ["warning", "triangle-alert"],
  ["note", "info"],
  ["good", "circle-check"],
]);

/**
 * A message box. Errors interrupt a screen reader, the others wait.
 * @param {"error" | "warning" | "note" | "good"} tone
 * @param {...Child} children
 */
export function notice(tone, ...children) {
  return el(
    "div",
    { class: `notice ${tone}`, role: tone === "error" ? "alert" : "status", icon: TONES.get(tone) },
    ...children,
  );
}

/** A message that the user may put away. @param {HTMLElement} note */
export function dismissibleNotice(note) {
  const row = el("div", { class: "dismissible" }, note);
  row.append(button(t`Dismiss`, () => row.remove(), { class: "quiet small", icon: "x" }));
  return row;
}

/** Goes by itself, unless somebody reads it just then: by pointer or keyboard. */
const PASSING_MS = 30_000;

/** A message that nobody has to put away. @param {HTMLElement} note */
export function passingNotice(note) {
  const row = dismissibleNotice(note);
  const pass = () => (row.matches(":hover, :focus-within") ? void setTimeout(pass, PASSING_MS) : row.remove());
  setTimeout(pass, PASSING_MS);
  return row;
}

/**
 * Names and values side by side.
 * @param {[string, Child][]} lines
 * @param {string} [extra] further classes
 */
export function factList(lines, extra = "") {
  const cells = lines.flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)]);
  return el("dl", { class: `facts-list ${extra}` }, ...cells);
}

/** What went wrong, in the page's language if the bridge's code of it is known. @param {unknown} failure @returns {string} a sentence */
export function sentenceOf(failure) {
  return failure instanceof Error ? errorSentence(failure) : String(failure);
}

/** Where an element stands within a text: a value of t`…`. */
export const PLACE = "\uFFFC";

/**
 * A sentence with elements in it: `inText(t`Sent to ${PLACE}.`, address)`.
 * @param {string} text @param {...Node} elements in the order of their places
 * @returns {(Node | string)[]}
 */
export function inText(text, ...elements) {
  return text.split(PLACE).flatMap((words, index) => (index === 0 ? [words] : [elements[index - 1], words]));
}

/** Do something, and say at `place` why when it fails. @param {Element} place @param {() => Promise<void>} action */
export async function attemptAction(place, action) {
  fill(place);
  try {
    await action();
  } catch (failure) {
    fill(place, notice("error", sentenceOf(failure)));
  }
}

/** The method as a tag, each with its color; what unsafe ones may do is said in words. @param {string} method @param {boolean} safe */
export function methodTag(method, safe) {
  return el(
    "span",
    {
      class: `method ${safe ? "reads" : "writes"}`,
      title: safe ? t`Only reads` : t`Can change data`,
      dataset: { method },
    },
    method,
  );
}

/** Ends of words in a name: after a mark between them, and before a capital that begins one. */
const WORD_ENDS = /(?<=[_.\-/:])(?=[^_.\-/:])|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The words of a name, with a place to break between them. @param {string} name @returns {(string | HTMLElement)[]} */
export function breakableName(name) {
  return name.split(WORD_ENDS).flatMap((word, index) => (index === 0 ? [word] : [el("wbr", null), word]));
}
