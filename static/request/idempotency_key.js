// @ts-check
/** The header by which an API knows a request that reached it twice; browsers send a POST again on their own. Pure. */

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */

const NAME = "idempotency-key";

/**
 * Adds the call's id, unless the request is safe, or the operation has that header as an argument of its own.
 * @param {BuiltRequest} request
 * @param {RequestPlan} plan
 * @param {{call_id: string, idempotency_key: boolean}} call
 * @returns {BuiltRequest}
 */
export function withIdempotencyKey(request, { safe, parameters }, { call_id, idempotency_key }) {
  const isOwn = parameters.some((parameter) => parameter.in === "header" && parameter.name.toLowerCase() === NAME);
  if (!idempotency_key || safe || isOwn) return request;
  return { ...request, headers: [...request.headers, [NAME, call_id]] };
}
