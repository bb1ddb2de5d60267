// @ts-check
/** What of a recorded request says who its user is, and what the client sends by itself: neither belongs into a document. Pure. */
import { isSecretName } from "../executor/redaction.js";
import { looksSecret } from "./sample_schema.js";

/** @typedef {import("../types/conversion_types.js").RecordedRequest} RecordedRequest */
/** @typedef {import("../types/conversion_types.js").RecordedScheme} RecordedScheme */
/** @typedef {{schemes: RecordedScheme[], headers: [string, string][], query: [string, string][], leftOut: string[], cookies: number}} Cleaned  `leftOut`: names whose values were secret */

/** Every client sends its own, and a page cannot choose them, or the body decides. */
const OWN_HEADERS =
  /^(:.*|host|connection|content-length|content-type|accept|accept-encoding|accept-language|accept-charset|user-agent|origin|referer|sec-.*|dnt|te|trailer|transfer-encoding|upgrade.*|keep-alive|proxy-.*|cache-control|pragma|if-.*|priority|traceparent|tracestate|x-requested-with|x-forwarded-.*|x-real-ip|postman-token|cookie2?|expect|via|date|range)$/i;
const SECRET_HEADER =
  /(^|[-_])(auth|key|token|secret|session|csrf|xsrf|signature|sig|sid|jwt|credential)([-_]|$)|authorization|apikey/i;
const SECRET_QUERY = /^(api[-_.]?key|key|sig|signature|auth|sid|session|jwt|code)$/i;

/** @param {RecordedRequest} request @returns {Cleaned} */
export function cleanRequest({ headers, query, security }) {
  /** @type {Cleaned} */
  const cleaned = { schemes: security ? [security] : [], headers: [], query: [], leftOut: [], cookies: 0 };
  for (const [name, value] of headers) takeHeader(cleaned, name, value);
  for (const [name, value] of query) {
    const isSecret = isSecretName(name) || SECRET_QUERY.test(name) || looksSecret(value);
    if (isSecret) takeSecret(cleaned, { type: "apiKey", in: "query", name });
    else cleaned.query.push([name, value]);
  }
  return cleaned;
}

/** @param {Cleaned} cleaned @param {string} name @param {string} value */
function takeHeader(cleaned, name, value) {
  if (/^cookie$/i.test(name)) cleaned.cookies += value.split(";").filter((pair) => pair.trim() !== "").length;
  if (OWN_HEADERS.test(name)) return;
  const scheme = /^authorization$/i.test(name) ? /^(bearer|basic)\s/i.exec(value)?.[1].toLowerCase() : undefined;
  if (scheme === "bearer" || scheme === "basic") takeSecret(cleaned, { type: "http", scheme }, name);
  else if (SECRET_HEADER.test(name) || isSecretName(name) || looksSecret(value))
    takeSecret(cleaned, { type: "apiKey", in: "header", name });
  else cleaned.headers.push([name, value]);
}

/** @param {Cleaned} cleaned @param {RecordedScheme} scheme @param {string} [name] */
function takeSecret(cleaned, scheme, name = scheme.type === "apiKey" ? scheme.name : "") {
  cleaned.leftOut.push(name);
  if (!cleaned.schemes.some((known) => schemeName(known) === schemeName(scheme))) cleaned.schemes.push(scheme);
}

/** @param {RecordedScheme} scheme @returns {string} its name in a document */
export function schemeName(scheme) {
  return scheme.type === "http" ? `${scheme.scheme}Auth` : `${scheme.in}_${scheme.name.replace(/[^\w.-]/g, "_")}`;
}
