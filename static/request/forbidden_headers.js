// @ts-check
/** Headers a page cannot send: fetch.spec.whatwg.org "forbidden request-header", and what Chromium replaces. Pure. */

/** Control characters except tab: no header value may hold them. */
// eslint-disable-next-line no-control-regex
export const UNPRINTABLE = /[\u0000-\u0008\u000A-\u001F\u007F]/;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FORBIDDEN = new Set([
  "accept-charset",
  "accept-encoding",
  "access-control-request-headers",
  "access-control-request-local-network",
  "access-control-request-method",
  "access-control-request-private-network",
  "connection",
  "content-length",
  "cookie",
  "cookie2",
  "date",
  "dnt",
  "expect",
  "host",
  "keep-alive",
  "origin",
  "referer",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
]);
const METHOD_OVERRIDES = new Set(["x-http-method", "x-http-method-override", "x-method-override"]);

/**
 * @param {{in: string, name: string}} parameter
 * @param {import("../types/types.d.ts").JsonValue | undefined} value
 * @returns {string | null} the reason why this header cannot be sent; null: it can, or it is no header
 */
export function unsendableHeader(parameter, value) {
  if (parameter.in !== "header") return null;
  const name = parameter.name.toLowerCase();
  if (!TOKEN.test(name)) return "This is not a valid header name.";
  if (FORBIDDEN.has(name) || name.startsWith("sec-") || name.startsWith("proxy-"))
    return "A browser sets this header itself.";
  // Browsers look at the hyphenated name only; servers that make a variable of it (CGI, WSGI, Rack) do not.
  if (METHOD_OVERRIDES.has(name.replace(/[^a-z0-9]/g, "-")) && /\b(connect|trace|track)\b/i.test(String(value ?? "")))
    return "A browser does not let a page ask for this method.";
  return null;
}
