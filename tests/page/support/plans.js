// @ts-check
/** Small request plans for tests. */

/** @typedef {import("../../../static/types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../../../static/types/types.d.ts").PlanParameter} PlanParameter */

/**
 * GET https://api.example/v1/things, changed as asked.
 * @param {Partial<RequestPlan>} change
 * @returns {RequestPlan}
 */
export function plan(change) {
  const whole = { parameters: [], body: null, security: [], unsendable: [] };
  const where = { method: "GET", base_url: "https://api.example/v1", path: "/things", accept: "" };
  return { version: 1, ...where, ...whole, safe: true, idempotent: true, ...change };
}

/**
 * @param {PlanParameter["in"]} location
 * @param {string} name
 * @param {Partial<PlanParameter>} [change]
 * @returns {PlanParameter}
 */
export function parameter(location, name, change = {}) {
  return { argument: name, in: location, name, required: location === "path", ...change };
}
