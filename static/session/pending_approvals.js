// @ts-check
/** The cards of all workers of this browser, as a tab knows them: one that is being replaced may still have some. */

import { Announcing } from "../base/announcing.js";

/** @typedef {import("../types/types.d.ts").WaitingCard} WaitingCard */

export class WaitingCards {
  /** @type {Map<string, WaitingCard[]>} */
  #byWorker = new Map();

  /**
   * @param {() => void} changed
   * @param {Pick<LockManager, "query">} [locks] every worker holds one that ends with its id
   */
  constructor(changed, locks = navigator.locks) {
    this.changed = changed;
    this.locks = locks;
  }

  /** Oldest first, by worker. */
  get allCards() {
    return [...this.#byWorker.values()].flat();
  }

  /** @param {string} worker @param {WaitingCard[]} cards */
  putCards(worker, cards) {
    if (cards.length > 0) this.#byWorker.set(worker, cards);
    else if (!this.#byWorker.delete(worker)) return;
    this.changed();
  }

  /** A worker that died with its tab cannot take its cards back. @param {string} alive another worker */
  async dropDeadWorkers(alive) {
    const others = [...this.#byWorker.keys()].filter((worker) => worker !== alive);
    if (others.length === 0) return;
    const { held = [] } = await this.locks.query();
    for (const worker of others)
      if (!held.some(({ name = "" }) => name.endsWith(`:${worker}`))) this.putCards(worker, []);
  }
}

/** The waiting calls that a view shows at their own place, or decides: the panel above every view leaves them out. */
export class InlineCards extends Announcing {
  /** @type {Set<string>} */
  #ids = new Set();
  /** @type {((card: WaitingCard) => boolean) | null} */
  #isExpected = null;

  /** @param {Iterable<string>} callIds all that are shown so now */
  showCards(callIds) {
    const ids = new Set(callIds);
    if (ids.size === this.#ids.size && [...ids].every((id) => this.#ids.has(id))) return;
    this.#ids = ids;
    this.announceChange();
  }

  /** A card that the view decides by itself, from now on. @param {((card: WaitingCard) => boolean) | null} isExpected */
  expectCard(isExpected) {
    this.#isExpected = isExpected;
  }

  /** @param {WaitingCard} card */
  hasCard(card) {
    return this.#ids.has(card.call_id) || this.#isExpected?.(card) === true;
  }
}
