// @ts-check
/** What differs between two texts, line by line. Pure. */

/** @typedef {{kind: "same" | "added" | "removed", text: string}} Line */

/** Lines that differ on both sides beyond which they are not paired: their table has as many cells as the product. */
const MAX_CELLS = 4_000_000;

/** @param {string} before @param {string} after @returns {Line[]} */
export function diffLines(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    ...linesOf("same", now.slice(0, head)),
    ...pairLines(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...linesOf("same", now.slice(now.length - tail)),
  ];
}

/** @param {Line["kind"]} kind @param {string[]} texts @returns {Line[]} */
const linesOf = (kind, texts) => texts.map((text) => ({ kind, text }));

/** By their longest common subsequence. @param {string[]} old @param {string[]} now @returns {Line[]} */
function pairLines(old, now) {
  if (old.length * now.length > MAX_CELLS) return [...linesOf("removed", old), ...linesOf("added", now)];
  const lengths = equalStretches(old, now);
  const width = now.length + 1;
  /** @type {Line[]} */
  const lines = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      lines.push({ kind: "same", text: now[column] });
      row += 1;
      column += 1;
    } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])
      lines.push({ kind: "removed", text: old[row++] });
    else lines.push({ kind: "added", text: now[column++] });
  }
  return [...lines, ...linesOf("removed", old.slice(row)), ...linesOf("added", now.slice(column))];
}

/** How many lines from a place on are common, by row and column. @param {string[]} old @param {string[]} now */
function equalStretches(old, now) {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] =
        old[row] === now[column] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  return lengths;
}

/**
 * Only what differs, with some lines around it; `null` stands for equal lines that are left out.
 * @param {Line[]} lines @param {number} [around] @returns {(Line | null)[]}
 */
export function changedParts(lines, around = 3) {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, place) => {
    if (kind !== "same") isNear.fill(true, Math.max(0, place - around), place + around + 1);
  });
  /** @type {(Line | null)[]} */
  const parts = [];
  lines.forEach((line, place) => {
    if (isNear[place]) parts.push(line);
    else if (parts.at(-1) !== null) parts.push(null);
  });
  return parts;
}
