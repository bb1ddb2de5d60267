// @ts-check
/** What happens in one history: calls, and the faults that meet the messages of the protocol. Made from a seed. */

/** The messages of extension/protocol.js, and what travels inside of the browser and to the API. */
export const MESSAGES = Object.freeze(/** @type {const} */ ([
  ...["hello", "ready", "call", "part", "part_ack", "sent", "head", "chunk", "ack", "end", "failed", "refused", "cancel", "did", "was", "ping", "pong", "changed", "gone"],
  ...["connect", "access", "store", "stored", "request", "response", "body"],
]));
/**
 * - killed: the browser stops the service worker; what is in `storage.session` stays
 * - updated: stopped, `storage.session` and registrations are lost, open pages get new relays
 * - disabled: stopped, and nothing answers any more · switched: disabled, and enabled again after a while
 * - revoked: the user takes the grant back in the popup · forbidden: the host permission, in the browser · unpaired: the bridge
 * - port_lost: the page hears that its port ended; the service worker hears it when it likes
 * - delayed: and with it all that comes behind it on its way · doubled: a page says it twice
 * - storage_full: the browser cannot write down what the service worker wants to keep of a call next
 * - reloaded: the page · stopped: the user stops the call that runs
 */
export const ACTIONS = Object.freeze(/** @type {const} */ ([
  ...["killed", "updated", "disabled", "switched", "revoked", "forbidden", "unpaired"],
  ...["port_lost", "delayed", "doubled", "storage_full", "reloaded", "stopped"],
]));
/** Milliseconds: a hiccup, longer than the page waits for `ready`, for `was`, and for a `pong`. */
const DELAYS = [400, 1500, 3000, 50_000];

/** @typedef {typeof MESSAGES[number]} Kind */
/** @typedef {typeof ACTIONS[number]} Action */
/** @typedef {"answers" | "refused" | "resets" | "resent" | "slow" | "breaks_off" | "redirects"} Answering resent: by the browser, over a second connection, which is refused */
/** @typedef {"granted" | "reading" | "foreign" | "closed"} Target foreign: granted to another bridge · closed: without a host permission */
/** @typedef {{number: number, at: number, safe: boolean, login: boolean, target: Target, api: Answering, size: number}} CallPlan `size`: bytes of the body */
/** @typedef {{action: Action, kind: Kind, nth: number, when: "before" | "after", ms: number}} Fault at the nth message of a kind: in its place, or after it has arrived */
/** @typedef {{seed: number, calls: CallPlan[], faults: Fault[], pace: () => number}} Plan */

/** A small generator of numbers from 0 to 1 (mulberry32). @param {number} seed */
export function randomFrom(seed) {
  let state = seed + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @param {Partial<CallPlan>} [change] @returns {CallPlan} */
export const aCall = (change = {}) => ({ number: 1, at: 1, safe: false, login: false, target: "granted", api: "answers", size: 10, ...change });

/** @param {Action} action @param {Kind} kind @param {Partial<Fault>} [change] @returns {Fault} */
export const aFault = (action, kind, change = {}) => ({ action, kind, nth: 0, when: "before", ms: 3000, ...change });

/** Common ones stand twice. @type {readonly Target[]} */
const TARGETS = ["granted", "granted", "granted", "granted", "reading", "foreign", "closed"];
/** @type {readonly Answering[]} */
const ANSWERINGS = ["answers", "answers", "answers", "refused", "resets", "resent", "resent", "slow", "breaks_off", "redirects"];

/** One to three calls and two faults. @param {number} seed @returns {Plan} */
export function makePlan(seed) {
  const random = randomFrom(seed);
  const pick = (/** @type {readonly any[]} */ all) => all[Math.floor(random() * all.length)];
  const call = (/** @type {number} */ number) => {
    const size = random() < 0.15 ? 300_000 : 10;
    return aCall({ number, at: 1 + Math.floor(random() * 40), safe: random() < 0.4, login: random() < 0.3, target: pick(TARGETS), api: pick(ANSWERINGS), size });
  };
  const fault = () => aFault(pick(ACTIONS), pick(MESSAGES), { nth: pick([0, 0, 0, 1, 1, 2]), when: pick(["before", "after"]), ms: pick(DELAYS) });
  const calls = Array.from({ length: pick([1, 1, 2, 3]) }, (_, index) => call(index + 1));
  return { seed, calls, faults: [fault(), fault()], pace: () => 0.2 + random() * 4 };
}

/** Where no chance is wanted. @param {CallPlan[]} calls @param {Fault[]} [faults] @returns {Plan} */
export const plainPlan = (calls, faults = []) => ({ seed: -1, calls, faults, pace: () => 1 });

/** @param {Plan} plan @returns {string[]} for people */
export const describePlan = ({ calls, faults }) => [
  ...calls.map(({ number, at, safe, login, target, api, size }) => `call c${number} at ${at}: ${safe ? "safe" : "unsafe"}${login ? ", with login" : ""}, ${size} bytes, API ${target}, ${api}`),
  ...faults.map(({ action, kind, nth, when, ms }) => `${action}${action === "delayed" ? ` by ${ms} ms` : ""} ${when} ${kind} ${nth}`),
];
