// @ts-check
/** Where each line of a long list stands, when lines are of different heights and most were never measured. Pure. */

export class LineHeights {
  /** @param {number[]} guesses height of each line in CSS pixels, until it is measured */
  constructor(guesses) {
    this.heights = Float64Array.from(guesses);
    this.offsets = new Float64Array(guesses.length + 1);
    this.#addUp(0);
  }

  get lineCount() {
    return this.heights.length;
  }

  /** Of all lines together. */
  get totalHeight() {
    return this.offsets[this.lineCount];
  }

  /** @param {number} index */
  offsetOf(index) {
    return this.offsets[index];
  }

  /** The line at a place, the last one beyond the end; -1 of no lines. @param {number} y */
  lineAt(y) {
    let [low, high] = [0, this.lineCount - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle + 1] > y) high = middle;
      else low = middle + 1;
    }
    return Math.min(low, this.lineCount - 1);
  }

  /** @param {[number, number][]} measured index and height @returns {boolean} whether any line moved */
  measureLines(measured) {
    const changed = measured.filter(([index, height]) => Math.abs(this.heights[index] - height) > 0.5);
    for (const [index, height] of changed) this.heights[index] = height;
    if (changed.length > 0) this.#addUp(Math.min(...changed.map(([index]) => index)));
    return changed.length > 0;
  }

  /** @param {number} first */
  #addUp(first) {
    for (let index = first; index < this.lineCount; index += 1)
      this.offsets[index + 1] = this.offsets[index] + this.heights[index];
  }
}
