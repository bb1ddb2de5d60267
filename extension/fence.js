// @ts-check
/**
 * What a bridge may have performed: decided here before every fetch, whatever its page says. Pure.
 *
 * The host permission is the browser's own fence and looked at besides; it knows neither bridge, port (in Firefox),
 * login nor method.
 */

import { isMetadataHost, isSameServer } from "./addresses.js";
import { BODY_BYTES, HEADER_CHARS, RULE_HEADERS, SAFE_METHODS, URL_CHARS } from "./protocol.js";

/** @typedef {import("./protocol.js").CallMessage} CallMessage */
/** @typedef {import("./protocol.js").Grant} Grant */
/** @typedef {{code: import("./protocol.js").RefusalCode, message: string}} Refusal */

const UNSENDABLE_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);
/** What decides about the connection, tells lies about who asks, or is the browser's own. */
const NEVER_SENT = new Set([
  "accept-charset",
  "accept-encoding",
  "connection",
  "content-length",
  "cookie2",
  "date",
  "dnt",
  "expect",
  "host",
  "keep-alive",
  "origin",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);
/** Servers, and proxies before them, take the method or the path from these; a grant for reading would not hold. */
const OVERRIDES = new Set([
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-http-verb",
  "x-http-verb-override",
  "x-original-method",
  "x-forwarded-method",
  "-method",
  "x-original-url",
  "x-original-uri",
  "x-rewrite-url",
  "x-override-url",
  "x-forwarded-uri",
]);

/** @param {import("./protocol.js").RefusalCode} code @param {string} message @returns {Refusal} */
export const refusal = (code, message) => ({ code, message });

/** As servers read it that make a variable of it, in which every other character is the same (CGI, WSGI, Rack). @param {string} name */
const plainName = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "-");

/** @param {string} name as `plainName` gives it */
const isNeverSent = (name) => NEVER_SENT.has(name) || /^(sec|proxy|access-control)-/.test(name);

/** @param {CallMessage["body"]} body */
export const sizeOf = (body) => (body instanceof ArrayBuffer ? body.byteLength : (body ?? 0));

/** @param {URL} url @param {readonly string[]} bridges @returns {Refusal | null} */
export function findForbiddenTarget(url, bridges) {
  if (!/^https?:$/.test(url.protocol))
    return refusal("forbidden_target", `${url.protocol} cannot be called, only http: and https:.`);
  if (url.username || url.password)
    return refusal("forbidden_target", "A URL with a user name or password cannot be called.");
  if (isMetadataHost(url.hostname)) return refusal("forbidden_target", "A cloud metadata service cannot be called.");
  if (bridges.some((bridge) => isSameServer(new URL(bridge), url)))
    return refusal("forbidden_target", `${url.origin} is a bridge and cannot be called as an API.`);
  return null;
}

/** @param {CallMessage} call @param {Grant | null} grant @returns {Refusal | null} */
function findMissingGrant({ url, method, login, headers }, grant) {
  const { origin } = new URL(url);
  if (grant?.api !== origin) return refusal("not_granted", `This bridge was not granted ${origin} in the companion.`);
  if (login && !grant.login)
    return refusal("login_not_granted", `This bridge was granted ${origin} without your login.`);
  if (grant.methods === "all") return null;
  const changing = SAFE_METHODS.includes(method)
    ? headers.map(([name]) => name).find((name) => OVERRIDES.has(plainName(name)))
    : method;
  return changing === undefined
    ? null
    : refusal(
        "method_not_granted",
        `This bridge was granted ${origin} for reading only; ${changing} may change something.`,
      );
}

/** @param {CallMessage} call @returns {Refusal | null} */
function findUnsendable({ url, method, headers, body, login }) {
  if (UNSENDABLE_METHODS.has(method))
    return refusal("bad_message", `A browser does not let an extension send ${method}.`);
  if (body !== null && (method === "GET" || method === "HEAD"))
    return refusal("bad_message", `A ${method} has no body in browsers.`);
  const chars = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (sizeOf(body) > BODY_BYTES) return refusal("too_large", `The body is larger than ${BODY_BYTES} bytes.`);
  if (url.length > URL_CHARS) return refusal("too_large", `The URL has more than ${URL_CHARS} characters.`);
  if (chars > HEADER_CHARS) return refusal("too_large", `The headers have more than ${HEADER_CHARS} characters.`);
  const names = headers.map(([name]) => name.toLowerCase());
  const never = names.find((name) => isNeverSent(plainName(name)) || (login && name === "cookie"));
  return never === undefined
    ? null
    : refusal(
        "forbidden_header",
        `The header ${never} cannot be set${login && never === "cookie" ? " beside your login" : ""}.`,
      );
}

/** `grant`: of this bridge for the call's origin. @param {CallMessage} call @param {{grant: Grant | null, bridges: readonly string[]}} known @returns {Refusal | null} */
export function findRefusal(call, { grant, bridges }) {
  return findForbiddenTarget(new URL(call.url), bridges) ?? findMissingGrant(call, grant) ?? findUnsendable(call);
}

/**
 * What is handed to `fetch`, and which headers a rule has to set. Without a host permission, "same-origin" lets nothing
 * leave; left out, `credentials` would send cookies (both measured, Chromium 156).
 * @param {CallMessage} call
 * @param {Grant} grant
 */
export function splitRequest({ url, method, headers, login }, grant) {
  const byRule = headers.filter(([name]) => RULE_HEADERS.includes(name.toLowerCase()));
  const plain = headers.filter((header) => !byRule.includes(header));
  const isGuarded = login && grant.methods === "all" && method !== "GET" && method !== "HEAD";
  // Servers tell forgery by this header, and an extension's own origin is none that they know. Firefox lets rules set it only.
  if (isGuarded) byRule.push(["Origin", new URL(url).origin]);
  /** @type {RequestInit} */
  const init = {
    method,
    headers: plain,
    mode: "same-origin",
    credentials: login ? "include" : "omit",
    redirect: "manual",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  };
  return { init, byRule };
}
