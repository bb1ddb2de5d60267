// @ts-check
/** The header by which an API, and whoever traces it, knows the trace of a call (W3C Trace Context). Pure. */

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */
/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {{traceparent: string, pass_traceparent: boolean}} Traced */

const NAME = "traceparent";

/**
 * Adds the call's context where the server's user wants it. Not to an MCP server, which is told in the message.
 * @param {BuiltRequest} request
 * @param {RequestPlan} plan
 * @param {Traced} call
 * @returns {BuiltRequest}
 */
export function withTraceContext(request, { kind, parameters }, call) {
  const isOwn = parameters.some((parameter) => parameter.in === "header" && parameter.name.toLowerCase() === NAME);
  const traceparent = passedContext(call);
  if (traceparent === "" || kind === "mcp" || isOwn) return request;
  return { ...request, headers: [...request.headers, [NAME, traceparent]] };
}

/** "": none. @param {Traced} call */
export const passedContext = ({ traceparent, pass_traceparent }) => (pass_traceparent ? traceparent : "");
