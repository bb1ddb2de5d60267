// @ts-check
/** What a card says of a call: taken from the request as it will be built, with the secrets left out. Pure. */

import { placeSecrets } from "../request/credential_placement.js";
import { stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.d.ts").CardFacts} CardFacts */

/** More of a value is not shown, nor sent to the tabs. */
export const SHOWN_VALUE_CHARS = 100_000;
const SHOWN_ARGUMENTS = 500;

/**
 * @param {import("../types/types.d.ts").ToolCall} call
 * @param {import("../types/types.d.ts").Pin} pin
 * @param {import("../types/types.d.ts").JsonObject} args  as they came
 * @param {import("../types/types.d.ts").BuiltRequest} request
 * @param {{credentials: import("../types/types.d.ts").CredentialSet, redact: (text: string) => string}} secrets
 * @returns {Omit<CardFacts, "reason">}
 */
export function cardFacts({ tool, server_id }, { plan }, args, request, { credentials, redact }) {
  const shown = Object.entries(args).slice(0, SHOWN_ARGUMENTS);
  const { method, url, body } = request;
  return {
    tool,
    server_id,
    method,
    is_safe: plan.safe,
    url: redact(url),
    args: shown.map(([name, value]) => ({ name, value: redact(textOf(value)).slice(0, SHOWN_VALUE_CHARS) })),
    more_args: Object.keys(args).length - shown.length,
    body: typeof body === "string" ? redact(body).slice(0, SHOWN_VALUE_CHARS) : null,
    body_bytes: typeof body === "string" ? new TextEncoder().encode(body).length : (body?.length ?? 0),
    content_type: request.headers.find(([name]) => name === "content-type")?.[1] ?? "",
    credentials: placeSecrets(plan, credentials).flatMap((place) => (place.in === "nowhere" ? [] : [`${place.name} (${place.in})`])),
  };
}

/** @param {import("../types/types.d.ts").JsonValue} value */
const textOf = (value) => (typeof value === "string" ? value : stringifyJson(value));
