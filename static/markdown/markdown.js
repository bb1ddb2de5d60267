// @ts-check
/**
 * Markdown of models and tools as a tree of few harmless elements. Pure; the only importer of markdown-it, whose parser is
 * used and whose HTML is not. HTML in the text stays text. Links go to http, https and mailto; pictures come from the page's
 * own origin or from the text itself, any other is a link.
 */
import createParser from "../vendor/markdown-it-15.0.3.esm.js";

/** @typedef {import("../vendor/markdown-it-15.0.3.esm.js").Token} Token */
/** @typedef {import("../types/chat_types.js").MarkdownNode} MarkdownNode */
/** @typedef {import("../types/chat_types.js").MarkdownElement} MarkdownElement */
/** @typedef {import("../types/chat_types.js").MarkdownBlock} MarkdownBlock */

const LINK = /^(?:https?:\/\/|mailto:)/i;
const PICTURE = /^(?:\/(?![/\\])|data:image\/(?:png|jpeg|gif|webp);)/i;
/** The page has headings of its own above. */
const HEADING_OFFSET = 2;
const LAST_HEADING = 6;
/** Marks that are half written stand at the very end; looking further would cost more with every word. */
const LOOKED_AT_CHARS = 500;

const parser = createParser({ html: false, linkify: true });
parser.validateLink = (url) => LINK.test(url) || PICTURE.test(url);
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/**
 * @param {string} text lines end with a bare newline
 * @returns {MarkdownBlock[]} blocks of the top level
 */
export function parseMarkdown(text) {
  /** @type {MarkdownBlock[]} */
  const blocks = [];
  /** @type {MarkdownElement[]} */
  const open = [];
  for (const token of parser.parse(text, {})) {
    if (token.nesting < 0) {
      if (!token.hidden) open.pop();
      continue;
    }
    const nodes =
      token.type === "inline" ? inlineNodes(token.children ?? []) : token.hidden ? [] : [blockElement(token)];
    const parent = open.at(-1);
    if (parent) parent.children.push(...nodes);
    else for (const node of nodes) if (typeof node !== "string") blocks.push({ node, line: token.map?.[0] ?? 0 });
    if (token.nesting > 0 && !token.hidden) open.push(/** @type {MarkdownElement} */ (nodes[0]));
  }
  return blocks;
}

/** @param {Token} token @returns {MarkdownElement} */
function blockElement(token) {
  const { type, tag, content, info } = token;
  if (type === "fence" || type === "code_block") return codeElement(content, info);
  if (type === "heading_open")
    return { tag: `h${Math.min(LAST_HEADING, Number(tag[1]) + HEADING_OFFSET)}`, children: [] };
  if (type === "table_open") return { tag: "table", children: [] };
  return { tag, attributes: blockAttributes(token), children: [] };
}

/** @param {string} content @param {string} info what stands behind the fence @returns {MarkdownElement} */
function codeElement(content, info) {
  const language = info.trim().split(/\s/, 1)[0];
  const text = content.replace(/\n$/, "");
  return { tag: "pre", ...(language ? { attributes: { language } } : {}), children: text === "" ? [] : [text] };
}

/** @param {Token} token @returns {Record<string, string> | undefined} */
function blockAttributes(token) {
  const start = token.attrGet("start");
  if (start !== null) return { start };
  const align = /text-align:(center|right)/.exec(token.attrGet("style") ?? "")?.[1];
  return align ? { class: `align-${align}` } : undefined;
}

/** @param {Token[]} tokens @returns {MarkdownNode[]} */
function inlineNodes(tokens) {
  /** @type {MarkdownElement} */
  const root = { tag: "span", children: [] };
  const open = [root];
  for (const token of tokens) {
    const parent = open[open.length - 1];
    if (token.nesting < 0) open.pop();
    else if (token.nesting > 0) {
      const element = inlineElement(token);
      parent.children.push(element);
      open.push(element);
    } else addInline(parent, leafNode(token));
  }
  return root.children;
}

/** Neighbouring texts become one, so that growing text stays in one node. @param {MarkdownElement} parent @param {MarkdownNode} node */
function addInline({ children }, node) {
  const last = children.at(-1);
  if (typeof node === "string" && typeof last === "string") children[children.length - 1] = last + node;
  else if (node !== "") children.push(node);
}

/** @param {Token} token @returns {MarkdownElement} */
function inlineElement(token) {
  const href = token.attrGet("href") ?? "";
  if (token.type !== "link_open") return { tag: token.tag, children: [] };
  return LINK.test(href) ? linkTo(href) : { tag: "span", children: [] };
}

/** @param {string} href @returns {MarkdownElement} */
function linkTo(href) {
  return { tag: "a", attributes: { href, rel: "noopener noreferrer", target: "_blank" }, children: [] };
}

/** @param {Token} token @returns {MarkdownNode} */
function leafNode(token) {
  if (token.type === "softbreak") return "\n";
  if (token.type === "hardbreak") return { tag: "br", children: [] };
  if (token.type === "code_inline") return { tag: "code", children: [token.content] };
  return token.type === "image" ? pictureNode(token) : token.content;
}

/** @param {Token} token @returns {MarkdownNode} */
function pictureNode(token) {
  const [src, alt] = [token.attrGet("src") ?? "", token.content];
  if (PICTURE.test(src)) return { tag: "img", attributes: { src, alt }, children: [] };
  return { ...linkTo(src), children: [alt || src] };
}

/**
 * A text that is still growing, without what would look like something else a moment later: marks that have no text yet
 * are left out, marks that are open are closed, rows of tables wait for their end.
 * @param {string} text from the beginning of a block
 */
export function stabilizeMarkdown(text) {
  const fences = text.match(/^ {0,3}(?:`{3,}|~{3,})/gm)?.length ?? 0;
  if (fences % 2 === 1) return text.replace(/\n[`~]+$/, "\n");
  const from = Math.max(0, text.length - LOOKED_AT_CHARS);
  const end = text
    .slice(from)
    .replace(/(^|\n)(?:[-=*_+#>|:~`! \t]*|\d{1,9}[.)]?)$/, "$1")
    .replace(/(^|\n)\|[^\n]*$/, "$1")
    .replace(/(^|\n\n)\|[^\n]*\n$/, "$1")
    .replace(/!?\[([^\]\n]*)(?:\](?:\([^)\s]*)?)?$/, "$1");
  return closeOpenMarks(text.slice(0, from) + end);
}

/** @param {string} text @returns {string} with an end for what its last paragraph has begun to mark */
function closeOpenMarks(text) {
  const last = text.slice(text.lastIndexOf("\n\n") + 1);
  if ((last.match(/`/g)?.length ?? 0) % 2 === 1) return `${text}\``;
  return (last.match(/\*\*/g)?.length ?? 0) % 2 === 1 ? `${text.trimEnd()}**` : text;
}
