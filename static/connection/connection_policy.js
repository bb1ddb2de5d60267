// @ts-check
/** When a connection to the bridge is given up, and when the next one is tried. Pure: times come in, decisions go out. */

/** lost: closed, refused or given up · silent: a try of which nothing was heard · moved: the bridge says that the home is elsewhere · redirected: so it said when asked */
/** @typedef {"lost" | "silent" | "moved" | "redirected"} Cause */
/**
 * @typedef {object} Standing what has happened since the last handshake
 * @property {number} beatS     seconds between beats that it announced; 0: none, there is one replica
 * @property {number} failures  tries that failed
 * @property {number} unopened  tries that failed because the transport did not open
 * @property {number} silences  tries that failed because nothing was heard although it had opened, or might have to wait for that
 * @property {number} openMs    milliseconds until the transport was open when the last handshake succeeded
 * @property {number} redirects
 * @property {number} lostMs    milliseconds since that connection was lost
 */

const SILENT_BEATS = 3;
/** Milliseconds until a transport is open on a near replica, with much room; on a far one it has taken longer before. */
const OPEN_MS = 700;
const OPEN_TIMES = 3;
/** Silent tries before all replicas are taken to be slow, rather than one to be frozen to which a balancer still leads. */
const QUICK_TRIES = 4;
const RETRY_FIRST_MS = 200;
const RETRY_LAST_MS = 5000;
/** With beats, for the first `HURRY_MS`: some replica has the user within seconds. */
const RETRY_HURRY_MS = 1000;
const HURRY_MS = 30_000;
const MOVED_LAST_MS = 200;
/** Milliseconds for a whole try, at most: what socket.io gives a transport to open. */
const TRY_LAST_MS = 20_000;
/** Milliseconds between the moments in which a silence is noticed and believed: what came meanwhile is read first. */
const SECOND_LOOK_MS = 200;
/** Milliseconds by which a timer is late that shows that the worker stood still, not the bridge. */
const LATE_MS = 1000;

/** Milliseconds that a silent socket is borne after its handshake. @param {number} beatS @returns {number} */
export function silencePatience(beatS) {
  return beatS > 0 ? SILENT_BEATS * beatS * 1000 : Infinity;
}

/**
 * Milliseconds until a replica that runs has opened the transport: it need not find the user's home for that.
 * @param {Standing} standing @returns {number}
 */
export function openPatience({ beatS, unopened, openMs }) {
  const usual = Math.max(OPEN_MS, OPEN_TIMES * openMs);
  return beatS > 0 ? Math.min(TRY_LAST_MS, usual * 2 ** Math.max(0, unopened - QUICK_TRIES)) : Infinity;
}

/**
 * Milliseconds that a silent try is borne. A replica may be slow rather than frozen, so each silent one extends it.
 * @param {Standing} standing
 * @param {boolean} isOpen the transport is, so that replica runs, and may wait until another one is found dead
 * @returns {number}
 */
export function tryPatience({ beatS, silences }, isOpen) {
  return beatS > 0 ? Math.min(TRY_LAST_MS, silencePatience(beatS) * 2 ** (isOpen ? silences + 1 : silences)) : Infinity;
}

/**
 * Milliseconds until the next try.
 * @param {Cause} cause @param {Standing} standing @param {number} chance from 0 to 1: pages lost together return one by one
 * @returns {number}
 */
export function retryDelay(cause, { beatS, failures, redirects, lostMs }, chance) {
  if (cause === "redirected" && redirects === 0) return 0;
  if (cause === "moved" || (cause === "silent" && lostMs < HURRY_MS)) return chance * MOVED_LAST_MS;
  if (beatS > 0 && lostMs < HURRY_MS) return RETRY_FIRST_MS + chance * (RETRY_HURRY_MS - RETRY_FIRST_MS);
  return Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** failures * (0.5 + chance));
}

/** Whether a socket has been silent for too long. All times are milliseconds of one clock. */
export class Silence {
  #patienceMs;
  /** Until the next message. */
  #bearableMs;
  #heardAt;
  /** When the next look is to be. */
  #dueAt;
  #isSuspected = false;

  /** @param {number} patienceMs @param {number} now */
  constructor(patienceMs, now) {
    this.#patienceMs = this.#bearableMs = patienceMs;
    this.#heardAt = now;
    this.#dueAt = now + patienceMs;
  }

  /** @param {number} now */
  noteMessage(now) {
    this.#heardAt = now;
    this.#bearableMs = this.#patienceMs;
  }

  /** Until the next message. @param {number} milliseconds */
  extendPatience(milliseconds) {
    this.#bearableMs = Math.max(this.#patienceMs, milliseconds);
  }

  /**
   * Called as often as it asks for. A worker that stood still has not listened, so its silence proves nothing.
   * @param {number} now
   * @returns {number} milliseconds until the next look; 0: it is to be given up
   */
  look(now) {
    if (now - this.#dueAt > LATE_MS) this.#heardAt = now;
    const left = this.#heardAt + this.#bearableMs - now;
    if (left <= 0 && this.#isSuspected) return 0;
    this.#isSuspected = left <= 0;
    const wait = left > 0 ? left : SECOND_LOOK_MS;
    this.#dueAt = now + wait;
    return wait;
  }
}
