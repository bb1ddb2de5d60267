// @ts-check
/** Why a login failed, in words for its user. Nothing of a token, code or secret is ever part of them. */

import { asSaid, said } from "../base/said.js";
import { AUTHORIZATION_RESPONSE_ERROR, RESPONSE_BODY_ERROR } from "../vendor/oauth4webapi-3.8.8.js";

/** @typedef {import("../base/said.js").Said} Said */
/** @typedef {Said & {quote?: string}} Own `quote`: what the server says of its own */

/**
 * A login that failed. `code`: cors (or another wall of pages that the companion does not meet), companion, unknown (it
 * may have been performed), ended, refused, hostile, insecure, unsupported or network.
 */
export class LoginProblem extends Error {
  /** The server that the companion could reach; "" for other problems than `cors`. */
  origin = "";

  /** @param {string} code @param {string | Own} words */
  constructor(code, words) {
    /** @type {Own} */
    const own = asSaid(words);
    super(own.quote ? `${own.message} It says: “${own.quote}”` : own.message);
    this.own = own;
    this.name = "LoginProblem";
    this.code = code;
  }
}

export const TOO_LATE = said("expired_token", "The code was not confirmed in time. Begin again.");

/** What servers say in one word (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5, RFC 8707 §2), by that word. */
const WORDS = [
  said("access_denied", "The login was refused there, by you or by the server."),
  said("invalid_client", "The server does not know this client. Check the client id, and the secret if there is one."),
  said("unauthorized_client", "The server does not let this client log in this way."),
  said("invalid_scope", "The server does not give one of the scopes. Untick some and try again."),
  said("invalid_target", "The server does not take the name of the API. Untick “Name the API” and try again."),
  said("invalid_grant", "The server does not accept this code or token any more."),
  said("invalid_request", "The server does not accept the request."),
  TOO_LATE,
  said("server_error", "The server failed. Try again later."),
  said("temporarily_unavailable", "The server is busy. Try again later."),
];

/** Servers that are busy say nothing of the login. */
const PASSING = ["server_error", "temporarily_unavailable", "slow_down"];
const TOO_MANY = 429;

/** Texts by which the library tells an answer that must not be used. @type {[RegExp, Said][]} */
const REFUSALS = [
  [
    /"iss".*missing/,
    said(
      "iss_missing",
      "The answer does not say which server it comes from, although this server always does (`iss` is missing). Nothing was sent to the server. The login is refused.",
    ),
  ],
  [
    /"iss"/,
    said(
      "iss_differs",
      "The answer comes from another server than the one you were sent to (`iss` differs): somebody may be mixing up two servers. Its code was not used. The login is refused.",
    ),
  ],
  [
    /"state".*missing/,
    said(
      "state_missing",
      "The answer carries no `state`, so it may be another login's. Its code was not used. The login is refused.",
    ),
  ],
  [
    /"state"/,
    said(
      "state_differs",
      "The answer belongs to another login (`state` differs). Its code was not used. The login is refused.",
    ),
  ],
  [
    /nonce/,
    said("nonce_differs", "The identity token belongs to another login (`nonce` differs). The login is refused."),
  ],
  [
    /"issuer"/,
    said("issuer_differs", "The server describes itself as another one (`issuer` differs). The login is refused."),
  ],
];

/** All that a browser says of a fetch that failed. */
const UNREACHABLE = said(
  "login_unreachable",
  "The server cannot be reached, or does not let web pages read its answers (CORS).",
);

/** Maximum characters of a server's own sentence. */
const QUOTED_CHARS = 200;

/**
 * @param {unknown} failure of anything here
 * @returns {LoginProblem}
 */
export function problemOf(failure) {
  if (failure instanceof LoginProblem) return failure;
  const {
    code = "",
    error = "",
    error_description,
    status = 0,
    message = String(failure),
  } = /** @type {any} */ (failure);
  if (code === RESPONSE_BODY_ERROR || code === AUTHORIZATION_RESPONSE_ERROR) {
    const words =
      WORDS.find(({ sentence }) => sentence === error) ??
      said("login_refused", "The server refuses ({error}).", { error: String(error).slice(0, 60) });
    const isPassing = PASSING.includes(error) || status === TOO_MANY;
    return new LoginProblem(error === "invalid_grant" ? "ended" : isPassing ? "network" : "refused", {
      ...words,
      quote: error_description?.slice(0, QUOTED_CHARS),
    });
  }
  const hostile = REFUSALS.find(([pattern]) => pattern.test(message));
  if (hostile) return new LoginProblem("hostile", hostile[1]);
  if (failure instanceof TypeError && !code) return new LoginProblem("network", UNREACHABLE);
  if (/TimeoutError|AbortError/.test(/** @type {any} */ (failure).name))
    return new LoginProblem("network", said("login_silent", "The server did not answer in time."));
  return new LoginProblem(
    "network",
    said("login_answer_unusable", "The server's answer cannot be used: {why}", { why: message }),
  );
}
