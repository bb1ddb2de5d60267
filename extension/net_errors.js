// @ts-check
/** What the browser's names of network errors prove. Pure. */

/**
 * The connection was never made, so that no byte of a request left over it. ERR_ADDRESS_UNREACHABLE and
 * ERR_INTERNET_DISCONNECTED are not among them: they also name a route that was lost amid a request.
 */
const NO_CONNECTION = new Set([
  "ERR_NAME_NOT_RESOLVED",
  "ERR_NAME_RESOLUTION_FAILED",
  "ERR_ICANN_NAME_COLLISION",
  "ERR_CONNECTION_REFUSED",
  "ERR_CONNECTION_TIMED_OUT",
  "ERR_ADDRESS_INVALID",
  "ERR_PROXY_CONNECTION_FAILED",
  "ERR_TUNNEL_CONNECTION_FAILED",
  "ERR_SOCKS_CONNECTION_FAILED",
  "ERR_UNSAFE_PORT",
  "ERR_SOCKS_CONNECTION_HOST_UNREACHABLE",
  "ERR_SSL_VERSION_OR_CIPHER_MISMATCH",
  "NS_ERROR_UNKNOWN_HOST",
  "NS_ERROR_CONNECTION_REFUSED",
  "NS_ERROR_PROXY_CONNECTION_REFUSED",
  "NS_ERROR_UNKNOWN_PROXY_HOST",
]);

const SENTENCES = new Map([
  ["ERR_NAME_NOT_RESOLVED", "no such host is known to this browser"],
  ["ERR_CONNECTION_REFUSED", "nothing listens there"],
  ["ERR_CONNECTION_TIMED_OUT", "the host did not answer"],
  ["ERR_INTERNET_DISCONNECTED", "this browser is offline"],
  ["ERR_EMPTY_RESPONSE", "the server closed the connection without an answer"],
  ["ERR_CONNECTION_RESET", "the connection was reset"],
  ["ERR_CONNECTION_CLOSED", "the connection was closed"],
  ["ERR_BLOCKED_BY_CLIENT", "another extension of this browser blocked it"],
  ["ERR_BLOCKED_BY_ADMINISTRATOR", "this browser's administrator blocks it"],
  ["ERR_SSL_CLIENT_AUTH_CERT_NEEDED", "the server wants a client certificate, which an extension cannot choose"],
  ["cancelled", "it was cancelled"],
  ["forbidden_address", "its name leads to a bridge, or to where cloud metadata services are; the answer was not read"],
  ["unknown_address", "the browser did not tell where its name leads; the answer was not read"],
  ["unnamed", "the browser gave no reason; its administrator may block the host"],
]);

/** @param {string} error as `webRequest` names it */
export const plainName = (error) => error.replace(/^net::/, "");

/** @param {string} name */
const isCertificate = (name) => name.startsWith("ERR_CERT_") || /^(SEC|MOZILLA_PKIX)_ERROR_/.test(name);

/** Whether a request that ended so was never sent, had it a connection of its own. @param {string} name */
export const isBeforeConnection = (name) => NO_CONNECTION.has(name) || isCertificate(name);

/** @param {string} name @param {string} url */
export function describeError(name, url) {
  const { origin } = new URL(url);
  if (isCertificate(name))
    return `${origin} has a certificate that this browser does not trust (${name}). Install its authority in the operating system or the browser; a warning that was clicked away does not count here.`;
  return `${origin} could not be called: ${SENTENCES.get(name) ?? "the browser says"} (${name}).`;
}
