// @ts-check
/**
 * Requests of a login by the companion extension, for servers whose answers no page may read: each once, without
 * cookies, and not followed elsewhere. One that may have been performed is not sent again, because a code and a rotating
 * refresh token work once.
 */

import { LoginProblem } from "./login_problem.js";

/** @typedef {import("../types/oauth_types.d.ts").Send} Send */
/** @typedef {import("../types/types.d.ts").Transport} Transport */
/** @typedef {import("../types/types.d.ts").Via} Via */

/** The largest answer of an authorization server. */
const ANSWER_BYTES = 1024 * 1024;
/** What the user has chosen for calls to the same origin may send cookies along; a login never does. @type {Via} */
const WITHOUT_LOGIN = Object.freeze({ transport: "companion", login: false, headers: [] });
const NO_BODY = [204, 205, 304];

/** @param {URL} url @param {unknown} failure a `CallFailure`: by its fields, for its class is another file's */
function problemOfCall({ origin }, failure) {
  const {
    code = "",
    message,
    delivered = "unknown",
  } = /** @type {import("../executor/call_failure.js").CallFailure} */ (failure);
  if (code === "redirect_refused")
    return new LoginProblem("network", `${origin} answers with a redirect, which a login does not follow.`);
  if (delivered === "no") return new LoginProblem("companion", message);
  return new LoginProblem(
    "unknown",
    `${message} Nobody knows whether ${origin} has done what it was asked, and it is not asked again by itself.`,
  );
}

/** @param {Response} response @returns {Promise<Response>} with all of its body @throws {LoginProblem} too large, or broken off */
async function readWhole(response) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let bytes = 0;
  for await (const part of /** @type {AsyncIterable<Uint8Array<ArrayBuffer>>} */ (
    /** @type {unknown} */ (response.body ?? [])
  )) {
    bytes += part.byteLength;
    if (bytes > ANSWER_BYTES) throw new LoginProblem("network", "The answer is larger than 1 MiB.");
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(NO_BODY.includes(status) ? null : new Blob(parts), { status, statusText, headers });
}

/** @param {Pick<Transport, "send">} companion @returns {Send} rejects with a `LoginProblem`; `unknown`: it may have been performed */
export function sendByCompanion(companion) {
  return async (url, { method, headers, body, signal }) => {
    const target = new URL(url);
    const written = Object.entries(/** @type {Record<string, string>} */ ({ ...headers }));
    const request = {
      method,
      url,
      headers: written,
      body: body === undefined || body === null ? null : String(body),
      unsendable: [],
    };
    const passage = {
      origin: target.origin,
      via: WITHOUT_LOGIN,
      id: crypto.randomUUID(),
      mayFollow: false,
      signal: signal ?? new AbortController().signal,
    };
    try {
      return await readWhole(await companion.send(request, passage));
    } catch (failure) {
      throw failure instanceof LoginProblem ? failure : problemOfCall(target, failure);
    }
  };
}

/**
 * As the user has chosen for each origin; one way never stands in for the other.
 * @param {(origin: string) => Promise<Via>} findVia
 * @param {{page: Send, companion: Send}} ways
 * @returns {Send}
 */
export function sendAsChosen(findVia, ways) {
  return async (url, init) => ways[(await findVia(new URL(url).origin)).transport](url, init);
}
