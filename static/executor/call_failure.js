// @ts-check
/** The endings of a call that are no answer. Pure. */

import { messageOf } from "../base/error_message.js";
import { explainLocation } from "../causes/redirects.js";
import { missingFact, missingWords } from "../causes/unreadable_answer.js";
import { redactFacts } from "./redaction.js";
import { RequestError } from "../request/request_error.js";

/** @typedef {import("../types/types.d.ts").Delivered} Delivered */
/** @typedef {import("../types/types.d.ts").CallError} CallError */
/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */

/** An ending of a call that is no answer. `retryable`: a second try makes sense if it can do no harm. */
export class CallFailure extends Error {
  /**
   * @param {string} code one of the bridge's error codes
   * @param {string} message a sentence for the user and the model
   * @param {{delivered?: Delivered, detail?: Record<string, unknown>, retryable?: boolean}} [more]
   */
  constructor(code, message, { delivered = "no", detail = {}, retryable = false } = {}) {
    super(message);
    this.name = "CallFailure";
    this.code = code;
    this.delivered = delivered;
    this.detail = detail;
    this.retryable = retryable;
  }
}

/** Why a running call was stopped; the reason of its AbortSignal. */
export class CallStopped extends Error {
  /**
   * @param {"timeout" | "cancelled"} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "CallStopped";
    this.code = code;
  }
}

/**
 * A call stopped while its fetch was under way: nobody knows what the API did.
 * @param {AbortSignal} signal
 */
export function stoppedUnderWay(signal) {
  const code = signal.reason instanceof CallStopped ? signal.reason.code : "cancelled";
  return new CallFailure(code, messageOf(signal.reason), { delivered: "unknown", retryable: code === "timeout" });
}

/** @param {number} limit @param {number | null} total @param {number} status */
export function tooLarge(limit, total, status) {
  const size = total === null ? `more than ${limit}` : String(total);
  return new CallFailure(
    "too_large",
    `The API answered ${status}, but its answer is a file of ${size} bytes; the limit is ${limit}.`,
    {
      delivered: "unknown",
      detail: { limit_bytes: limit, total_bytes: total, status },
    },
  );
}

/** @param {string} url @param {string | null} [location] where it leads, if that is known */
export function redirectRefused(url, location = null) {
  const { origin } = new URL(url);
  const where = location === null ? null : placeOf(location);
  const said = where === null ? "a redirect" : `a redirect to ${where}`;
  return new CallFailure(
    "redirect_refused",
    `${origin} answered with ${said}. Redirects are not followed when a call changes something, carries a secret or would leave ${origin}. Put the final address into the document or the server's base URL.`,
    { delivered: "unknown", detail: where === null ? { origin } : { origin, location: where } },
  );
}

/**
 * A redirect that was not followed, with the likely cause; any other failure as it is.
 * @param {CallFailure} failure
 * @param {Pick<ReturnType<typeof import("../causes/failed_request.js").describeFailed>, "url" | "missing">} request
 * @param {(url: string) => Promise<{words: string, likely_cause?: string}>} explainRedirect
 */
export async function withRedirectCause(failure, { url, missing }, explainRedirect) {
  if (failure.code !== "redirect_refused") return failure;
  const { location } = failure.detail;
  const { words, ...cause } =
    typeof location === "string" ? { words: explainLocation(url, location) } : await explainRedirect(url);
  failure.message = [failure.message, words].filter(Boolean).join(" ") + missingWords({ missing });
  failure.detail = { ...failure.detail, ...cause, ...missingFact({ missing }) };
  return failure;
}

/** Without its query, which may hold anything. @param {string} location */
function placeOf(location) {
  const { origin, pathname } = new URL(location);
  return `${origin}${pathname}`;
}

/** @param {number} status @param {unknown} error */
export function brokenOff(status, error) {
  return new CallFailure("network", `The API's answer (status ${status}) broke off while it was read.`, {
    delivered: "unknown",
    detail: { status, browser_said: messageOf(error) },
    retryable: true,
  });
}

/** @param {number} bytes @param {unknown} error */
export function uploadFailed(bytes, error) {
  return new CallFailure("network", `The answer could not be sent to the bridge: ${messageOf(error)}`, {
    delivered: "unknown",
    detail: { bytes },
  });
}

/**
 * @param {unknown} error whatever was thrown while a call ran
 * @returns {CallFailure}
 */
export function failureOf(error) {
  if (error instanceof CallFailure) return error;
  if (error instanceof CallStopped) return new CallFailure(error.code, error.message);
  if (error instanceof RequestError) {
    const code = error.code === "no_base_url" ? "unsendable" : error.code;
    return new CallFailure(code, error.message, { detail: error.argument ? { argument: error.argument } : {} });
  }
  return new CallFailure("internal", `The bridge page failed: ${messageOf(error)}`, { delivered: "unknown" });
}

/** What the bridge takes of an error's message (bridge/errors.py). */
const MESSAGE_CHARS = 4000;

/** @param {CallFailure} failure @param {boolean} isSafe @returns {CallError} */
export function errorOf({ code, message, detail, retryable, delivered }, isSafe) {
  return {
    code,
    message: message.slice(0, MESSAGE_CHARS),
    detail,
    retryable: retryable && (isSafe || delivered === "no"),
  };
}

/**
 * @param {CallFailure} failure
 * @param {{redact: (text: string) => string, isSafe: boolean}} course
 * @param {number} duration_ms
 * @returns {import("../types/types.d.ts").Failed}
 */
export function failedOutcome(failure, { redact, isSafe }, duration_ms) {
  failure.message = redact(failure.message);
  failure.detail = redactFacts(failure.detail, redact);
  return { status: "failed", error: errorOf(failure, isSafe), delivered: failure.delivered, duration_ms };
}

/** This browser has not accepted the operation, or another form of it. @param {Pick<ToolCall, "key">} call @param {object | null} pin */
export function notAccepted({ key }, pin) {
  const reason = pin
    ? `"${key}" has changed since it was accepted. Review it on the bridge page.`
    : `This browser has not accepted "${key}". Accept it on the bridge page.`;
  return new CallFailure("not_accepted", reason);
}
