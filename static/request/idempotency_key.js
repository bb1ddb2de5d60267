// @ts-check
/**
 * What tells that a request was there before: to an API, a header, as browsers send a POST again on their own; to what sends
 * it, an id. Pure.
 */

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

/**
 * A request that changes something has the id of its call; a second one, of an MCP server that did not take the first, one
 * of its own.
 * @param {Pick<import("../types/runner_types.d.ts").Sending, "pin" | "ids">} sending
 */
export function nextId({ pin, ids }) {
  if (pin.plan.safe) return crypto.randomUUID();
  const id = ids.length === 1 ? ids[0] : `${ids[0]}:${ids.length}`;
  ids.push(id);
  return id;
}
