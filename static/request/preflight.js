// @ts-check
/** What a browser asks an API's consent for before it sends a request across origins. Pure. */

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */

/** Methods that need none (fetch.spec.whatwg.org, "CORS-safelisted method"). */
export const UNASKED_METHODS = new Set(["GET", "HEAD", "POST"]);

/** Headers a page may send anywhere without asking first (fetch.spec.whatwg.org, "CORS-safelisted request-header"). */
const UNASKED_HEADERS = new Set(["accept", "accept-language", "content-language"]);
const UNASKED_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(;|$)/i;

/** @param {[string, string]} header */
const isUnasked = ([name, value]) =>
  UNASKED_HEADERS.has(name) || (name === "content-type" && UNASKED_TYPES.test(value) && value.length <= 128);

/** Names of the headers that need consent, sorted. @param {BuiltRequest["headers"]} headers names in lower case */
export function askedHeaders(headers) {
  const asked = headers.filter((header) => !isUnasked(header));
  return [...new Set(asked.map(([name]) => name))].sort();
}

/**
 * Whether a browser asks the API's consent before it sends this request across origins: a JSON body, any secret in a
 * header and every method but GET, HEAD and POST need it; forms and plain text do not.
 * @param {Pick<BuiltRequest, "method" | "headers">} request
 */
export function needsPreflight({ method, headers }) {
  return !UNASKED_METHODS.has(method) || askedHeaders(headers).length > 0;
}
