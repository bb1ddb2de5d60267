// @ts-check
/** Why a login failed, in words for its user. Nothing of a token, code or secret is ever part of them. */

import { dictionaryOf } from "../base/dictionary.js";
import { AUTHORIZATION_RESPONSE_ERROR, RESPONSE_BODY_ERROR } from "../vendor/oauth4webapi-3.8.8.js";

/**
 * A login that failed. `code`: cors (or another wall of pages that the companion does not meet), companion, unknown (it
 * may have been performed), ended, refused, hostile, insecure, unsupported or network.
 */
export class LoginProblem extends Error {
  /** The server that the companion could reach; "" for other problems than `cors`. */
  origin = "";

  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = "LoginProblem";
    this.code = code;
  }
}

/** What servers say in one word (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5, RFC 8707 §2). @type {Record<string, string>} */
const WORDS = dictionaryOf({
  access_denied: "The login was refused there, by you or by the server.",
  invalid_client: "The server does not know this client. Check the client id, and the secret if there is one.",
  unauthorized_client: "The server does not let this client log in this way.",
  invalid_scope: "The server does not give one of the scopes. Untick some and try again.",
  invalid_target: "The server does not take the name of the API. Untick “Name the API” and try again.",
  invalid_grant: "The server does not accept this code or token any more.",
  invalid_request: "The server does not accept the request.",
  expired_token: "The code was not confirmed in time. Begin again.",
  server_error: "The server failed. Try again later.",
  temporarily_unavailable: "The server is busy. Try again later.",
});

/** Servers that are busy say nothing of the login. */
const PASSING = ["server_error", "temporarily_unavailable", "slow_down"];
const TOO_MANY = 429;

/** Texts by which the library tells an answer that must not be used. @type {[RegExp, string][]} */
const REFUSALS = [
  [/"iss".*missing/, "The answer does not say which server it comes from, although this server always does (`iss` is missing). Nothing was sent to the server. The login is refused."],
  [/"iss"/, "The answer comes from another server than the one you were sent to (`iss` differs): somebody may be mixing up two servers. Its code was not used. The login is refused."],
  [/"state".*missing/, "The answer carries no `state`, so it may be another login's. Its code was not used. The login is refused."],
  [/"state"/, "The answer belongs to another login (`state` differs). Its code was not used. The login is refused."],
  [/nonce/, "The identity token belongs to another login (`nonce` differs). The login is refused."],
  [/"issuer"/, "The server describes itself as another one (`issuer` differs). The login is refused."],
];

/** All that a browser says of a fetch that failed. */
const UNREACHABLE = "The server cannot be reached, or does not let web pages read its answers (CORS).";

/** Maximum characters of a server's own sentence. */
const QUOTED_CHARS = 200;

/** @param {string | null | undefined} text */
const quoted = (text) => (text ? ` It says: “${text.slice(0, QUOTED_CHARS)}”` : "");

/**
 * @param {unknown} failure of anything here
 * @returns {LoginProblem}
 */
export function problemOf(failure) {
  if (failure instanceof LoginProblem) return failure;
  const { code = "", error = "", error_description, status = 0, message = String(failure) } = /** @type {any} */ (failure);
  if (code === RESPONSE_BODY_ERROR || code === AUTHORIZATION_RESPONSE_ERROR) {
    const words = WORDS[error] ?? `The server refuses (${String(error).slice(0, 60)}).`;
    const isPassing = PASSING.includes(error) || status === TOO_MANY;
    return new LoginProblem(error === "invalid_grant" ? "ended" : isPassing ? "network" : "refused", words + quoted(error_description));
  }
  const hostile = REFUSALS.find(([pattern]) => pattern.test(message));
  if (hostile) return new LoginProblem("hostile", hostile[1]);
  if (failure instanceof TypeError && !code) return new LoginProblem("network", UNREACHABLE);
  if (/TimeoutError|AbortError/.test(/** @type {any} */ (failure).name)) return new LoginProblem("network", "The server did not answer in time.");
  return new LoginProblem("network", `The server's answer cannot be used: ${message}`);
}
