// @ts-check
/** The order of pinned conversations: each has a place, a number, and the smallest comes first. Pure. */

/** @typedef {{id: string, pinned: number | null}} Placed */

/** The place before the one that precedes it; null: it is not pinned, or the first. @param {Placed[]} pinned in their order @param {string} id */
export function placeAbove(pinned, id) {
  const at = pinned.findIndex((each) => each.id === id);
  if (at < 1) return null;
  const above = pinned[at - 1].pinned ?? 0;
  const further = at > 1 ? (pinned[at - 2].pinned ?? 0) : above - 2;
  return (above + further) / 2;
}

/** The others of a list. @template {Placed} T @param {T[]} listed @param {Placed[]} pinned @returns {T[]} */
export function withoutPinned(listed, pinned) {
  const ids = new Set(pinned.map(({ id }) => id));
  return listed.filter(({ id }) => !ids.has(id));
}
