// @ts-check
/** The cards of all workers of this browser, as a tab knows them: one that is being replaced may still have some. */

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
  get all() {
    return [...this.#byWorker.values()].flat();
  }

  /** @param {string} worker @param {WaitingCard[]} cards */
  put(worker, cards) {
    if (cards.length > 0) this.#byWorker.set(worker, cards);
    else if (!this.#byWorker.delete(worker)) return;
    this.changed();
  }

  /** A worker that died with its tab cannot take its cards back. @param {string} alive another worker */
  async dropDead(alive) {
    const others = [...this.#byWorker.keys()].filter((worker) => worker !== alive);
    if (others.length === 0) return;
    const { held = [] } = await this.locks.query();
    for (const worker of others) if (!held.some(({ name = "" }) => name.endsWith(`:${worker}`))) this.put(worker, []);
  }
}
