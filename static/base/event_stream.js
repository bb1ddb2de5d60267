// @ts-check
/** Server-sent events out of pieces of text, however they are cut. Pure. WHATWG HTML §9.2.6. */

/** @typedef {{id: string | null, event: string, data: string}} StreamEvent  `id`: null when the event has none */

/** One event longer than this is a fault of the sender; a page that went on collecting would run out of memory. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024;

export class EventStream {
  #rest = "";
  #seenReturn = false;
  /** @type {string[]} */
  #data = [];
  #size = 0;
  #event = "message";
  /** @type {string | null} */
  #id = null;

  /**
   * @param {string} piece of the stream, in order
   * @returns {StreamEvent[]} those that it completes
   * @throws {RangeError} an event is longer than a page can hold
   */
  readEvents(piece) {
    /** A CR at the end of the last piece has ended its line; the LF of the same break begins this one. */
    const text = this.#rest + (this.#seenReturn && piece.startsWith("\n") ? piece.slice(1) : piece);
    if (piece !== "") this.#seenReturn = piece.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length + this.#size > MAX_EVENT_CHARS) throw new RangeError("An event of the stream is too long.");
    return lines.flatMap((line) => this.#readLine(line));
  }

  /** @param {string} line @returns {StreamEvent[]} */
  #readLine(line) {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const [field, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }

  #dispatch() {
    const event = { id: this.#id, event: this.#event, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    [this.#data, this.#size, this.#event, this.#id] = [[], 0, "message", null];
    return isEmpty ? [] : [event];
  }
}
