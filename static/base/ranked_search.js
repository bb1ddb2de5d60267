// @ts-check
/** Finding things by words, the best first. The palette and the list of tools rank alike. Pure. */

/** @typedef {{label: string, search: string}} Searched  `label`: what it is called; `search`: lower case, what is looked into */

/** The words of a label in lower case, from its first search on. @type {Map<string, string[]>} */
const labelWords = new Map();
/** So many labels are kept: more are of lists that are gone. */
const MOST_LABELS = 20_000;

/**
 * What contains every word of a query, best first: the more of them begin a word of the label, the better; among
 * equals those whose label begins with the first one; then in the order given.
 * @template Item
 * @param {Iterable<Item>} items
 * @param {string} query
 * @param {(item: Item) => Searched} read
 * @returns {Item[]}
 */
export function rankFound(items, query, read) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  /** @type {Item[][]} */
  const ranks = Array.from({ length: 2 * words.length + 2 }, () => []);
  for (const item of items) {
    const { label, search } = read(item);
    if (words.every((word) => search.includes(word))) ranks[rankOf(label, words)].push(item);
  }
  return ranks.flat();
}

/** @param {string} label @param {string[]} words */
function rankOf(label, words) {
  const parts = wordsOf(label);
  const misses = words.filter((word) => !parts.some((part) => part.startsWith(word))).length;
  return 2 * misses + Number(!label.toLowerCase().startsWith(words[0] ?? ""));
}

/** @param {string} label */
function wordsOf(label) {
  const known = labelWords.get(label);
  if (known) return known;
  const words = label.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).map((word) => word.toLowerCase());
  if (labelWords.size >= MOST_LABELS) labelWords.clear();
  labelWords.set(label, words);
  return words;
}
