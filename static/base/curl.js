// @ts-check
/** Writes a request as a curl command for a POSIX shell. Secrets become shell variables. Pure. */

/** @typedef {{method: string, url: string, headers: [string, string][], body: string | null, body_bytes?: number}} CurlRequest */

/** How the call log shows a secret; in a URL it may be percent-encoded. */
const SECRET = /\[secret\]|%5Bsecret%5D/gi;
/** Without these curl does the right thing by itself. */
const OWN_HEADERS = new Set(["content-length", "host", "accept-encoding"]);

/**
 * @param {string} text
 * @param {string} [variable] what stands for `[secret]`; the user sets it before
 * @returns {string} one shell word
 */
export function shellWord(text, variable = "SECRET") {
  const literal = (/** @type {string} */ part) => `'${part.replaceAll("'", "'\\''")}'`;
  const parts = text.split(SECRET);
  const word = parts.map((part) => (part === "" ? "" : literal(part))).join(`"$${variable}"`);
  return word === "" ? "''" : word;
}

/** @param {string} name @param {string} value @param {string} [variable] */
function headerWord(name, value, variable) {
  return shellWord(value === "" ? `${name};` : `${name}: ${value}`, variable);
}

/** @param {CurlRequest} request @returns {string[]} */
function methodOptions({ method, body }) {
  if (method === "HEAD") return ["--head"];
  const implied = body === null ? "GET" : "POST";
  return method === implied ? [] : [`--request ${/^[A-Z]+$/.test(method) ? method : shellWord(method)}`];
}

/** @param {CurlRequest} request @returns {string[]} */
function bodyOptions({ body, body_bytes }) {
  if (body !== null) return [`--data-raw ${shellWord(body)}`];
  return body_bytes ? ["--data-binary @body.bin"] : [];
}

/**
 * @param {CurlRequest} request
 * @param {string} [variable] what stands for `[secret]`
 * @returns {string} a command over several lines
 */
export function toCurl(request, variable) {
  const sent = { ...request, body: request.method === "HEAD" ? null : request.body };
  const headers = request.headers
    .filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => `--header ${headerWord(name, value, variable)}`);
  const isPattern = /[[\]{}]/.test(request.url.replace(SECRET, ""));
  const options = [...methodOptions(sent), ...(isPattern ? ["--globoff"] : []), ...headers, ...bodyOptions(sent)];
  return [`curl ${shellWord(request.url, variable)}`, ...options].join(" \\\n  ");
}
