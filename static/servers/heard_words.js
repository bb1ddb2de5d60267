// @ts-check
/**
 * What the probe and a login say, in the page's language. Programs and models read these sentences too, so their own modules say them in
 * English; here are the same ones, as texts of the page. A sentence that is not among them is shown as it is.
 */
import { language, t, verbatim } from "../base/language.js";
import { sentenceOf } from "../ui/dom.js";

/** @typedef {{strings: readonly string[], pattern: RegExp, say: (values: string[]) => string}} Heard */

/** Between the bridge's own words and those of a server. */
const QUOTE = verbatim(" It says: “");

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** @param {TemplateStringsArray} strings @param {...""} _places @returns {Heard} */
function heard(strings, ..._places) {
  const pattern = new RegExp(`^${strings.map(escaped).join("(.+?)")}$`);
  return { strings, pattern, say: (values) => t(strings, ...values) };
}

const IT = "";

/** What a check or a fetch of a document finds: `probe.js`, `conversion/document_answer.js`, `executor/diagnosis.js`, `causes/unreadable_answer.js`, `mcp/source.js`. */
export const OF_PROBES = [
  heard`This page reaches the API and may read its answers.`,
  heard`This page reaches the MCP server and lists its tools.`,
  heard`This page reaches the API, but the API refuses requests with a JSON body or a key (CORS preflight). Its CORS settings must also allow the headers content-type and authorization and the methods its operations use.`,
  heard`${IT} is up, but does not let this page read its answers (CORS). The API must allow the origin of the bridge page, the method and the headers that are sent.`,
  heard`${IT} has let this page read answers (last at ${IT}), so CORS is set up there. Most likely this answer was an error (4xx or 5xx) or a redirect, to which the API adds no CORS headers: look at the API's log.`,
  heard`${IT} redirects this request, and this page may not read the answer to which it leads: perhaps a login page or an error. Open the address in a tab to see where it leads.`,
  heard`${IT} redirects this request and never answers it: most likely in a circle. Often one part of the API adds a slash at the end of the path and another removes it. Open the address in a tab to see, and put the final address into the document or the server's base URL.`,
  heard`${IT} redirected to another origin, which is not among those you accepted. Put the final address into the server's base URL.`,
  heard`Nothing answers at ${IT}. Check that the API is running and that the address and port are right.`,
  heard`This computer is offline, so ${IT} cannot be reached.`,
  heard`This page came over https, and the browser blocks the plain http address ${IT}. Use https for the API, or open the bridge page on http://localhost.`,
  heard`This page came over https, and the browser blocks the plain http address ${IT}. Allow local network access for this page, use https or the IP address for the API, or open the bridge page on http://localhost.`,
  heard`The browser does not let this page reach apps on this device. Open the bridge page, press "Check" for this server and allow access to apps on this device. A bridge page on http://localhost needs no permission.`,
  heard`The browser does not let this page reach devices on your local network. Open the bridge page, press "Check" for this server and allow access to devices on your local network. A bridge page on http://localhost needs no permission.`,
  heard`The browser does not let this page reach apps on this device. Open the site settings of the bridge page (icon left of the address), allow access to apps on this device, and reload. A bridge page on http://localhost needs no permission.`,
  heard`The browser does not let this page reach devices on your local network. Open the site settings of the bridge page (icon left of the address), allow access to devices on your local network, and reload. A bridge page on http://localhost needs no permission.`,
  heard`The address did not answer within a minute.`,
  heard`The address answered with HTTP status ${IT}. It asks for a login. Download the document yourself and add it as a file.`,
  heard`The address answered with HTTP status ${IT}. It refuses access. Download the document yourself and add it as a file.`,
  heard`The address answered with HTTP status ${IT}. There is nothing at this address. Check the path.`,
  heard`The address answered with HTTP status ${IT}. Try again later, or add the document as a file.`,
  heard`The address answers with a redirect. Enter the final address of the MCP server.`,
  heard`The address answers with a stream of events, not with a document.`,
  heard`The address answers, but with an empty body.`,
  heard`The document is larger than 32 MiB.`,
  heard`This address is a web page, not an OpenAPI document, and none was found from it. Documentation pages usually link to the document: look for openapi.json, openapi.yaml, swagger.json or v3/api-docs.`,
  heard`There seems to be an MCP server at this address, but it refuses requests from this page: the browser asks first (a CORS preflight), and the server says no (often 405, it knows no CORS; or 403, it does not allow this page's origin).`,
  heard`The MCP server began a session, but does not let this page read its header Mcp-Session-Id, so nothing more can be asked.`,
  heard`The MCP server asks for a login.`,
];

/** Why a login failed: `oauth/login_problem.js`, `oauth/server_discovery.js`. */
export const OF_LOGINS = [
  heard`The login was refused there, by you or by the server.`,
  heard`The server does not know this client. Check the client id, and the secret if there is one.`,
  heard`The server does not let this client log in this way.`,
  heard`The server does not give one of the scopes. Untick some and try again.`,
  heard`The server does not take the name of the API. Untick “Name the API” and try again.`,
  heard`The server does not accept this code or token any more.`,
  heard`The server does not accept the request.`,
  heard`The code was not confirmed in time. Begin again.`,
  heard`The server failed. Try again later.`,
  heard`The server is busy. Try again later.`,
  heard`The server refuses (${IT}).`,
  heard`The server did not answer in time.`,
  heard`The server cannot be reached, or does not let web pages read its answers (CORS).`,
  heard`The server's answer cannot be used: ${IT}`,
  heard`The answer does not say which server it comes from, although this server always does (\`iss\` is missing). Nothing was sent to the server. The login is refused.`,
  heard`The answer comes from another server than the one you were sent to (\`iss\` differs): somebody may be mixing up two servers. Its code was not used. The login is refused.`,
  heard`The answer carries no \`state\`, so it may be another login's. Its code was not used. The login is refused.`,
  heard`The answer belongs to another login (\`state\` differs). Its code was not used. The login is refused.`,
  heard`The identity token belongs to another login (\`nonce\` differs). The login is refused.`,
  heard`The server describes itself as another one (\`issuer\` differs). The login is refused.`,
  heard`The login address ${IT} is not an https address, so tokens are not sent there.`,
  heard`You would log in at ${IT}, but what you get there would be sent to ${IT}, and nothing shows that both are one server. The login is refused.`,
  heard`The server cannot protect the login with PKCE (S256), so the page does not begin it.`,
  heard`There is no description of a login at ${IT}: it answers with status ${IT}.`,
  heard`${IT} describes the login of another server (\`issuer\` differs). The login is refused.`,
  heard`${IT} does not say how to log in. Paste a token as a credential instead.`,
  heard`The server does not say that it protects logins with PKCE, which MCP requires. The login is refused.`,
];

/** @param {string} message @returns {string | null} in the page's language; null: it is not known here */
function translated(message) {
  for (const { pattern, say } of [...OF_PROBES, ...OF_LOGINS]) {
    const found = pattern.exec(message);
    if (found) return say(found.slice(1));
  }
  return null;
}

/** @param {string} message @returns {string} the same in the page's language, with what a server said of its own */
export function inPageLanguage(message) {
  if (language === "en") return message;
  const [own = "", quote] = message.split(QUOTE, 2);
  const words = translated(own);
  if (words === null) return message;
  return quote === undefined ? words : `${words} ${t`It says: “${quote.replace(/”$/, "")}”`}`;
}

/** Why an address could not be used. @param {unknown} failure @returns {string} */
export function probeSentence(failure) {
  const known = language !== "en" && failure instanceof Error ? translated(failure.message) : null;
  return known ?? sentenceOf(failure);
}
