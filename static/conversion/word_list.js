// @ts-check
/** The words of commands while they are taken apart. Pure. */

export class WordList {
  /** null: here a command ends. @type {(string | null)[]} */
  #words = [];
  /** @type {string | null} */
  #word = null;

  get isOpen() {
    return this.#word !== null;
  }

  /** @param {string} part */
  add(part) {
    this.#word = (this.#word ?? "") + part;
  }

  finish() {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
  }

  endCommand() {
    this.finish();
    this.#words.push(null);
  }

  close() {
    this.finish();
    return this.#words;
  }
}
