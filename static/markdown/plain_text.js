// @ts-check
/** Markdown without its marks: what is read aloud or shown where nothing is set. Pure. */
import { parseMarkdown } from "./markdown.js";

/** @typedef {import("../types/chat_types.js").MarkdownNode} MarkdownNode */

/** Elements after which a line ends. */
const LINES = new Set(["p", "li", "tr", "br", "hr", "pre", "blockquote", "h3", "h4", "h5", "h6"]);
const CELLS = new Set(["td", "th"]);

/** @param {MarkdownNode} node @returns {string} */
function textOf(node) {
  if (typeof node === "string") return node;
  const { tag, attributes, children } = node;
  const text = tag === "img" ? (attributes?.alt ?? "") : children.map(textOf).join("");
  return text + (LINES.has(tag) ? "\n" : CELLS.has(tag) ? " " : "");
}

/** The words of a text as they are read: marks are gone, and what only looks like one, as in `run_operation`, stays. @param {string} markdown */
export function plainText(markdown) {
  const lines = parseMarkdown(markdown)
    .map(({ node }) => textOf(node))
    .join("\n")
    .split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}
