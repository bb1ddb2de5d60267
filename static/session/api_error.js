// @ts-check
/** What the bridge says when it cannot do something, and what is said in its place when it says nothing. Pure. */
import { t, verbatim } from "../base/language.js";

export class ApiError extends Error {
  /** @param {import("../types/api_types.js").WireError & {status: number}} failure */
  constructor({ code, message, detail, retryable, status }) {
    super(message);
    this.name = verbatim("ApiError");
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    /** The bridge's own HTTP status; 0 when it did not answer. */
    this.status = status;
  }
}

export const UNREACHABLE = {
  code: "unreachable",
  message: t`The bridge does not answer. Is it still running? This page keeps trying to reach it.`,
  detail: {},
  retryable: true,
  status: 0,
};

/**
 * @param {string} text
 * @param {number} status
 * @returns {ApiError}
 */
export function readError(text, status) {
  const plain = { code: "http_status", detail: {}, retryable: status >= 500, status };
  try {
    const failure = JSON.parse(text).error;
    return new ApiError({ ...plain, ...failure, detail: failure.detail ?? {} });
  } catch {
    return new ApiError({ ...plain, message: t`The bridge answered with HTTP status ${status} and no explanation.` });
  }
}
