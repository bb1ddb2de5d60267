// @ts-check
/** Every single fault at every message of every way that a call can take. */

import { aCall, aFault, ACTIONS, plainPlan } from "./plan.js";
import { play } from "./world.js";

/** @typedef {import("./plan.js").Plan} Plan */
/** @typedef {import("./plan.js").Fault} Fault */
/** @typedef {import("./plan.js").Action} Action */

const LATER = 100;
/** Until others have overtaken it; longer than the page waits for `ready`, and than for a `pong`. */
const DELAYS = [50, 1500, 50_000];

/** Of calls that read, or that change something. @param {boolean} safe @returns {Record<string, Plan>} */
const waysOf = (safe) => ({
  answered: plainPlan([aCall({ safe })]),
  ...(safe ? {} : { uploading: plainPlan([aCall({ safe, size: 300_000 })]) }),
  reset: plainPlan([aCall({ safe, api: "resets" })]),
  refused: plainPlan([aCall({ safe, api: "refused" })]),
  slow: plainPlan([aCall({ safe, api: "slow" })]),
  broken: plainPlan([aCall({ safe, api: "breaks_off" })]),
  redirected: plainPlan([aCall({ safe, api: "redirects" })]),
  foreign: plainPlan([aCall({ safe, target: "foreign" })]),
  resent: plainPlan([aCall({ safe: true }), aCall({ safe, number: 2, at: LATER, api: "resent" })]),
  stopped: plainPlan([aCall({ safe, api: "slow" })], [aFault("stopped", "request", { when: "after" })]),
  asked: plainPlan([aCall({ safe, api: "slow" })], [aFault("port_lost", "call", { when: "after" })]),
  late: plainPlan([aCall({ safe })], [aFault("delayed", "store", { nth: 1, ms: 400 }), aFault("delayed", "sent", { ms: 1500 }), aFault("delayed", "gone", { ms: 50 })]),
  killed: plainPlan([aCall({ safe })], [aFault("killed", "call", { when: "after" })]),
  revoked: plainPlan([aCall({ safe, api: "slow" })], [aFault("revoked", "request", { when: "after" })]),
});

/** Every way, and how it is without a further fault. @returns {AsyncGenerator<{way: string, plan: Plan, travelled: Map<string, number>}>} */
export async function* everyWay() {
  for (const safe of [true, false])
    for (const [name, plan] of Object.entries(waysOf(safe))) yield { way: `${safe ? "safe" : "unsafe"} ${name}`, plan, travelled: (await play(plan)).world.travelled };
}

/** @param {Action} action @param {import("./plan.js").Kind} kind @param {number} nth @returns {Fault[]} */
function faultsAt(action, kind, nth) {
  if (action === "delayed") return DELAYS.map((ms) => aFault(action, kind, { nth, ms }));
  return [aFault(action, kind, { nth }), aFault(action, kind, { nth, when: "after" })];
}

/** @param {{wanted?: string, actions?: readonly Action[]}} [only] `wanted`: one way @returns {AsyncGenerator<Plan>} */
export async function* everySingleFault({ wanted, actions = ACTIONS } = {}) {
  for await (const { way, plan, travelled } of everyWay())
    for (const [kind, times] of wanted === undefined || wanted === way ? travelled : [])
      for (let nth = 0; nth < times; nth += 1)
        for (const fault of actions.flatMap((action) => faultsAt(action, /** @type {any} */ (kind), nth))) yield { ...plan, faults: [...plan.faults, fault] };
}
