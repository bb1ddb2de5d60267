// @ts-check
/**
 * Colours of code by the browser's own highlights: the text stays one piece, so that it can grow, be selected and be read as
 * before. Only what is near the screen is coloured. A browser without highlights shows plain text.
 */

/** @typedef {import("./syntax.js").Token} Token */

const KINDS = /** @type {const} */ (["comment", "string", "number", "keyword", "name"]);
/** While a code grows it is coloured so often. */
const PACE_MS = 120;

/** @type {Map<Element, {language: string, ranges: [Highlight, StaticRange][], isNear: boolean}>} */
const blocks = new Map();
/** @type {Set<Element>} */
const waiting = new Set();
/** @type {Record<string, Highlight> | null} */
let highlights = null;
/** @type {IntersectionObserver | null} */
let near = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
// biome-ignore lint/correctness/noUnusedVariables: `??=` reads it.
let timer;

/** Colours a block whose one child is its text, from now on whenever it comes near. @param {HTMLElement} block @param {string} language */
export function colorCode(block, language) {
  if (language === "" || typeof Highlight === "undefined" || !("highlights" in CSS)) return;
  block.dataset.language = language;
  near ??= new IntersectionObserver((seen) => seen.forEach(follow), { rootMargin: "300px" });
  near.observe(block);
}

/** The text of a block has changed. @param {Element | null} block */
export function recolorCode(block) {
  if (block && blocks.get(block)?.isNear) colorSoon(block);
}

/** @param {IntersectionObserverEntry} entry */
function follow({ target, isIntersecting }) {
  const known = blocks.get(target) ?? {
    language: /** @type {HTMLElement} */ (target).dataset.language ?? "",
    ranges: [],
    isNear: false,
  };
  known.isNear = isIntersecting;
  if (isIntersecting) {
    blocks.set(target, known);
    return colorSoon(target);
  }
  clear(known.ranges);
  blocks.delete(target);
  if (!target.isConnected) near?.unobserve(target);
}

/** @param {Element} block */
function colorSoon(block) {
  waiting.add(block);
  timer ??= setTimeout(() => void colorWaiting(), PACE_MS);
}

async function colorWaiting() {
  const { tokensOf } = await import("./syntax.js");
  timer = undefined;
  highlights ??= registered();
  for (const block of waiting) {
    const known = blocks.get(block);
    const text = block.firstChild;
    if (!known) continue;
    clear(known.ranges);
    if (text instanceof Text) known.ranges = tokensOf(text.data, known.language).map((token) => rangeOf(text, token));
  }
  waiting.clear();
}

/** @returns {Record<string, Highlight>} */
function registered() {
  const made = Object.fromEntries(KINDS.map((kind) => [kind, new Highlight()]));
  for (const kind of KINDS) CSS.highlights.set(`code-${kind}`, made[kind]);
  return made;
}

/** @param {Text} text @param {Token} token @returns {[Highlight, StaticRange]} */
function rangeOf(text, { start, end, kind }) {
  const range = new StaticRange({ startContainer: text, startOffset: start, endContainer: text, endOffset: end });
  const highlight = /** @type {Record<string, Highlight>} */ (highlights)[kind];
  highlight.add(range);
  return [highlight, range];
}

/** @param {[Highlight, StaticRange][]} ranges */
function clear(ranges) {
  for (const [highlight, range] of ranges.splice(0)) highlight.delete(range);
}
