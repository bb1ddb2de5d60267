// @ts-check
/** What the user of a call is asked about: the request as it would be sent. Nothing is fetched for it. */

import { cardFacts } from "./card_facts.js";
import { failureOf } from "./call_failure.js";
import { readArguments } from "./call_arguments.js";
import { redactor } from "./redaction.js";
import { secretTexts } from "../request/credential_placement.js";

const NEVER = new AbortController().signal;
/** Files that arguments name are read when the call was allowed. @type {typeof globalThis.fetch} */
const unread = async () => new Response("");

/**
 * @param {import("./tool_runner.js").ToolRunner} runner
 * @param {import("../types/types.d.ts").ToolCall} call
 * @throws {import("./call_failure.js").CallFailure} the call cannot be made
 */
export async function describeCall(runner, call) {
  try {
    const pin = await runner.acceptedPin(call);
    const credentials = await runner.around.loadCredentials(pin.server_id, pin.origin);
    const redact = redactor(secretTexts(credentials));
    const args = await runner.argumentsOf(call, pin, NEVER, unread);
    const request = runner.build(call, pin, args, credentials, redact);
    return cardFacts(call, pin, readArguments(call.params), request, { credentials, redact });
  } catch (error) {
    throw failureOf(error);
  }
}
