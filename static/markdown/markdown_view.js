// @ts-check
/**
 * Markdown as elements that grow with their text: what stands does not move, and lasts through selection, scrolling and
 * focus. While a text grows only its last block is read again, so that a long answer costs no more per word than a short one.
 */
import { t } from "../base/language.js";
import { colorCode, recolorCode } from "./code_colors.js";
import { copyButton, el } from "../ui/dom.js";
import { withoutMarkers } from "../ui/markers.js";
import { stabilizeMarkdown, parseMarkdown } from "./markdown.js";

/** @typedef {import("../types/chat_types.js").MarkdownNode} MarkdownNode */
/** @typedef {import("../types/chat_types.js").MarkdownElement} MarkdownElement */

export class MarkdownView {
  /** The text as it was last given. */
  #shown = "";
  #isGrowing = true;
  /** Beginning of the text whose blocks cannot change any more, and how many they are. */
  #settled = "";
  #settledBlocks = 0;
  /** Every block, as it is shown. @type {MarkdownElement[]} */
  #trees = [];

  constructor() {
    this.element = el("div", { class: "markdown" });
  }

  /** @param {string} text @param {boolean} isGrowing more may follow */
  showText(text, isGrowing) {
    if (text === this.#shown && isGrowing === this.#isGrowing) return;
    [this.#shown, this.#isGrowing] = [text, isGrowing];
    const plain = withoutMarkers(text, isGrowing).replace(/\r\n?/g, "\n");
    if (!isGrowing || !plain.startsWith(this.#settled)) [this.#settled, this.#settledBlocks] = ["", 0];
    const rest = plain.slice(this.#settled.length);
    const blocks = parseMarkdown(isGrowing ? stabilizeMarkdown(rest) : rest);
    this.#placeBlock(blocks.map(({ node }) => node));
    if (!isGrowing || blocks.length < 2) return;
    this.#settledBlocks += blocks.length - 1;
    this.#settled = plain.slice(0, this.#settled.length + lineStart(rest, blocks[blocks.length - 1].line));
  }

  /** @param {MarkdownElement[]} trees those after the settled ones */
  #placeBlock(trees) {
    const { children } = this.element;
    trees.forEach((tree, index) => {
      const at = this.#settledBlocks + index;
      if (at < this.#trees.length) patchNode(children[at], this.#trees[at], tree);
      else this.element.append(buildNode(tree));
    });
    this.#trees = [...this.#trees.slice(0, this.#settledBlocks), ...trees];
    while (children.length > this.#trees.length) children[children.length - 1].remove();
  }
}

/** @param {string} text @param {number} line @returns {number} where it begins */
function lineStart(text, line) {
  let start = 0;
  for (let count = 0; count < line; count += 1) start = text.indexOf("\n", start) + 1;
  return start;
}

/** @param {MarkdownNode} node @returns {Node} */
function buildNode(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const { tag, attributes = {}, children } = node;
  if (tag === "pre") return codeView(String(children[0] ?? ""), attributes.language ?? "");
  const element = el(/** @type {"p"} */ (tag), attributes, ...children.map(buildNode));
  if (tag === "img") element.setAttribute("loading", "lazy");
  return tag === "table"
    ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t`Table` }, element)
    : element;
}

/** @param {string} text @param {string} language "" when the text does not say */
function codeView(text, language) {
  const block = el(
    "pre",
    { tabindex: "0", role: "region", "aria-label": language ? t`${language} code` : t`Code` },
    text,
  );
  const copy = copyButton(
    t`Copy code`,
    () => block.textContent ?? "",
    language ? { "aria-label": t`Copy code: ${language}` } : {},
  );
  colorCode(block, language);
  return el(
    "div",
    { class: "code named-code" },
    el("div", { class: "code-head" }, el("span", { class: "facts" }, language || t`Code`), copy),
    block,
  );
}

/** The element whose children are those of the node. @param {Node} shown @param {string} tag */
function insideOf(shown, tag) {
  return tag === "pre" || tag === "table"
    ? /** @type {Element} */ (/** @type {Element} */ (shown).querySelector(tag))
    : shown;
}

/** Makes what is shown into the next node, with as few changes as possible. @param {Node} shown @param {MarkdownNode} old @param {MarkdownNode} next */
function patchNode(shown, old, next) {
  if (typeof old === "string" && typeof next === "string") patchText(/** @type {Text} */ (shown), old, next);
  else if (typeof old === "string" || typeof next === "string" || !isSameShell(old, next)) {
    /** @type {ChildNode} */ (shown).replaceWith(buildNode(next));
  } else {
    patchChildren(insideOf(shown, next.tag), old.children, next.children);
    if (next.tag === "pre") recolorCode(/** @type {Element} */ (insideOf(shown, "pre")));
  }
}

/** @param {Text} shown @param {string} old @param {string} next */
function patchText(shown, old, next) {
  if (old === next) return;
  if (next.startsWith(old)) shown.appendData(next.slice(old.length));
  else shown.data = next;
}

/** @param {MarkdownElement} one @param {MarkdownElement} other */
function isSameShell(one, other) {
  return one.tag === other.tag && JSON.stringify(one.attributes) === JSON.stringify(other.attributes);
}

/** @param {Node} parent @param {MarkdownNode[]} old @param {MarkdownNode[]} next */
function patchChildren(parent, old, next) {
  const { childNodes } = parent;
  next.forEach((node, index) => {
    if (index < old.length) patchNode(childNodes[index], old[index], node);
    else parent.appendChild(buildNode(node));
  });
  while (childNodes.length > next.length) childNodes[childNodes.length - 1].remove();
}
