// @ts-check
/** Ports as browsers have them: in order, one end closes both, and what is said to a closed one is lost. */

export class PlayedEvent {
  /** @type {((...args: any[]) => any)[]} */
  listeners = [];

  /** @param {(...args: any[]) => any} listener */
  addListener(listener) {
    this.listeners.push(listener);
  }

  /** What a listener leaves rejected is logged by browsers, and nothing more. @param {any[]} args */
  fire(...args) {
    for (const listener of this.listeners) void Promise.resolve(listener(...args)).catch(() => undefined);
  }
}

/** One end of a `MessageChannel` inside of a page. */
class PageEnd {
  /** @type {any} */
  #onmessage = null;
  /** Heard before anybody listened. @type {any[]} */
  #early = [];
  /** @type {(() => void)[]} */
  #closed = [];
  isOpen = true;
  /** @type {PageEnd | null} */
  other = null;

  get onmessage() {
    return this.#onmessage;
  }

  set onmessage(listener) {
    this.#onmessage = listener;
    for (const data of this.#early.splice(0)) queueMicrotask(() => this.#onmessage?.({ data }));
  }

  /** @param {any} message @param {Transferable[]} [transfer] */
  postMessage(message, transfer = []) {
    const data = structuredClone(message, { transfer });
    if (this.isOpen) queueMicrotask(() => this.other?.hear(data));
  }

  /** @param {any} data */
  hear(data) {
    if (!this.isOpen) return;
    if (this.#onmessage) this.#onmessage({ data });
    else this.#early.push(data);
  }

  /** @param {string} _type close @param {() => void} listener */
  addEventListener(_type, listener) {
    this.#closed.push(listener);
  }

  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    queueMicrotask(() => this.other?.endedByOther());
  }

  endedByOther() {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const listener of this.#closed) listener();
  }
}

/** @returns {[PageEnd, PageEnd]} */
export function makeChannel() {
  const ends = /** @type {[PageEnd, PageEnd]} */ ([new PageEnd(), new PageEnd()]);
  [ends[0].other, ends[1].other] = [ends[1], ends[0]];
  return ends;
}

/** One end of a port of the extension: the relay's, or the service worker's. */
class RuntimeEnd {
  onMessage = new PlayedEvent();
  onDisconnect = new PlayedEvent();
  isOpen = true;
  /** @type {any} */
  sender = undefined;

  /** @param {RuntimePort} port */
  constructor(port) {
    this.port = port;
  }

  /** @param {any} message @throws {Error} as in browsers */
  postMessage(message) {
    if (!this.isOpen) throw new Error("Attempting to use a disconnected port object");
    this.port.carry(this, structuredClone(message));
  }

  disconnect() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.port.endOf(this);
  }
}

/** A port between a relay and a service worker; each direction keeps its order. */
export class RuntimePort {
  relay = new RuntimeEnd(this);
  worker = new RuntimeEnd(this);

  /** @param {import("./world.js").World} world @param {import("./browser.js").PlayedWorker} owner */
  constructor(world, owner) {
    this.world = world;
    this.owner = owner;
    this.toWorker = { at: 0, isOpen: () => this.worker.isOpen && owner.isAlive };
    this.toRelay = { at: 0, isOpen: () => this.relay.isOpen };
  }

  /** @param {RuntimeEnd} from @param {any} message a list of them from the service worker, which travels as its first one */
  carry(from, message) {
    const isUp = from === this.relay;
    const { type } = isUp ? message : message[0];
    const kind = type === "ack" && !isUp ? "part_ack" : type;
    const arrive = () => {
      if (isUp) this.owner.hear();
      (isUp ? this.worker : this.relay).onMessage.fire(message);
    };
    this.world.travel(kind, isUp ? this.toWorker : this.toRelay, arrive, this);
  }

  /** The other end hears of it, after all that was said before. @param {RuntimeEnd} end that was closed */
  endOf(end) {
    const [other, line] = end === this.relay ? [this.worker, this.toWorker] : [this.relay, this.toRelay];
    this.world.later(line, () => this.#close(other));
  }

  /** The service worker is no more; what was under way is lost. */
  workerDied() {
    this.worker.isOpen = false;
    this.toRelay.isOpen = () => false;
    this.world.travel("gone", { at: 0, isOpen: () => this.relay.isOpen }, () => this.#close(this.relay));
  }

  /** The page hears it now, the service worker later. @param {number} ms */
  lose(ms) {
    this.#close(this.relay);
    this.world.clock.set(() => this.owner.isAlive && this.#close(this.worker), ms);
  }

  /** @param {RuntimeEnd} end */
  #close(end) {
    if (!end.isOpen) return;
    end.isOpen = false;
    end.onDisconnect.fire(end);
  }
}
