// @ts-check
/** What the user of a call is asked about: the request as it would be sent. Nothing is sent for it: a token that has expired is renewed once the call is allowed. */

import { failureOf } from "../executor/call_failure.js";
import { readArguments } from "../executor/call_message.js";
import { planFiles } from "../executor/file_reads.js";
import { createRedactor } from "../executor/redaction.js";
import { placeSecrets, secretTexts } from "../request/credential_placement.js";
import { fixedValues } from "../request/withheld.js";
import { cookieTexts } from "../executor/transport_choice.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").CardFacts} CardFacts */

/** More of a value is not shown, nor sent to the tabs. */
const SHOWN_VALUE_CHARS = 100_000;
const SHOWN_ARGUMENTS = 500;

/**
 * @param {import("../executor/tool_runner.js").ToolRunner} runner
 * @param {import("../types/types.d.ts").ToolCall} call
 * @throws {import("../executor/call_failure.js").CallFailure} the call cannot be made
 */
export async function describeCall(runner, call) {
  try {
    const pin = await runner.acceptedPin(call);
    const sending = await runner.prepareSending(call, pin, false);
    const { credentials, via } = sending;
    const redact = createRedactor([...secretTexts(credentials), ...cookieTexts(via)]);
    const { args, reads } = await planFiles(runner, call, pin);
    const request = runner.buildRequest(call, sending, args, redact);
    const claims = pin.plan.kind === "mcp" ? (await runner.environment.loadMcp()).readClaims(pin.plan) : [];
    return {
      ...cardFacts(call, pin, readArguments(call.params), request, { credentials, redact }),
      reads,
      claims,
      via,
    };
  } catch (error) {
    throw failureOf(error);
  }
}

/**
 * What a card says of a call: taken from the request as it will be built, with the secrets left out.
 * @param {import("../types/types.d.ts").ToolCall} call
 * @param {import("../types/types.d.ts").Pin} pin
 * @param {import("../types/types.d.ts").JsonObject} args  as they came
 * @param {import("../types/types.d.ts").BuiltRequest} request
 * @param {{credentials: import("../types/types.d.ts").CredentialSet, redact: (text: string) => string}} secrets
 * @returns {Omit<CardFacts, "reason" | "reads" | "claims" | "via">}
 */
function cardFacts({ tool, server_id }, { plan }, args, request, { credentials, redact }) {
  const shown = Object.entries(args).slice(0, SHOWN_ARGUMENTS);
  const { method, url, body } = request;
  return {
    tool,
    server_id,
    method,
    is_safe: plan.safe,
    url: redact(url),
    args: shown.map(([name, value]) => ({
      name,
      value: redact(textOf(value)).slice(0, SHOWN_VALUE_CHARS),
      is_json: typeof value !== "string",
    })),
    more_args: Object.keys(args).length - shown.length,
    fixed: fixedValues(plan).map(({ name, value }) => ({ name, value: textOf(value).slice(0, SHOWN_VALUE_CHARS) })),
    body: typeof body === "string" ? redact(body).slice(0, SHOWN_VALUE_CHARS) : null,
    body_bytes: typeof body === "string" ? new TextEncoder().encode(body).length : (body?.length ?? 0),
    content_type: request.headers.find(([name]) => name === "content-type")?.[1] ?? "",
    credentials: placeSecrets(plan, credentials).flatMap((place) =>
      place.in === "nowhere" ? [] : [`${place.name} (${place.in})`],
    ),
  };
}

/** @param {import("../types/types.d.ts").JsonValue} value */
const textOf = (value) => (typeof value === "string" ? value : stringifyJson(value));

/**
 * What a worker's approval queue depends on: the runner, the rules, the socket, and the worker's own clocks.
 * @param {() => import("../executor/tool_runner.js").ToolRunner} runner
 * @param {import("./approval_policy.js").ApprovalRules} rules
 * @param {() => import("../connection/bridge_socket.js").BridgeSocket} socket
 * @returns {import("./approval_queue.js").ApprovalEnvironment}
 */
export function approvalEnvironment(runner, rules, socket) {
  return {
    describeCall: async (call) => ({
      ...(await describeCall(runner(), call)),
      reason: (await rules.findReason(call)) ?? "bridge",
    }),
    submitDecision: (callId, decision) => socket().submitDecision(callId, decision),
    grants: rules.grants,
    clock: { monotonic: () => performance.now(), wall: () => Date.now() },
    timers: { set: (...parts) => setTimeout(...parts), clear: (timer) => clearTimeout(timer) },
  };
}
