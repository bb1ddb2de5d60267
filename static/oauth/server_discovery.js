// @ts-check
/**
 * Which authorization server a login goes to, and what it can do: by RFC 8414 and OpenID Connect Discovery, for MCP
 * servers after RFC 9728, else by the addresses that a document names. Everything is fetched by the given `send`.
 */

import { said } from "../base/said.js";
import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { addressSpace } from "../executor/address_space.js";
import { LoginProblem } from "./login_problem.js";

/** @typedef {import("../types/oauth_types.d.ts").AuthorizationServer} AuthorizationServer */
/** @typedef {import("../types/oauth_types.d.ts").LoginSource} LoginSource */
/** @typedef {import("../types/oauth_types.d.ts").FoundServer} FoundServer */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */

const ENDPOINTS = /** @type {const} */ ([
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
]);
const PATIENCE_MS = 30_000;

/** How the library sends: through `send`, and by http where `requireSafe` allows it. @param {Send} send */
export const sentBy = (send) => ({
  [oauth.customFetch]: send,
  [oauth.allowInsecureRequests]: true,
  signal: AbortSignal.timeout(PATIENCE_MS),
});

const asking = () => ({
  method: "GET",
  headers: { accept: "application/json" },
  redirect: "manual",
  signal: AbortSignal.timeout(PATIENCE_MS),
});

/**
 * Tokens travel in the clear over http: only within this machine or network is that the user's own matter.
 * @param {string} url
 * @throws {LoginProblem}
 */
function requireSafe(url) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isSafe =
    parsed?.protocol === "https:" || (parsed?.protocol === "http:" && addressSpace(parsed.hostname) !== "public");
  if (!isSafe || parsed.username || parsed.hash)
    throw new LoginProblem(
      "insecure",
      said("login_insecure", "The login address {url} is not an https address, so tokens are not sent there.", {
        url: url.slice(0, 200),
      }),
    );
}

/** @param {string} url */
const originOf = (url) => new URL(url).origin;

/** @param {string} front where the user logs in @param {string} other where codes or tokens would go */
const twoServers = (front, other) =>
  new LoginProblem(
    "hostile",
    said(
      "two_servers",
      "You would log in at {front}, but what you get there would be sent to {other}, and nothing shows that both are one server. The login is refused.",
      { front: originOf(front), other: originOf(other) },
    ),
  );

/**
 * A server that sends users to another one's login must not get what they bring back: then all of it is that other one's
 * (a mix-up, RFC 9700 §4.4, which `iss` prevents only where servers send it).
 * @param {AuthorizationServer} server
 * @throws {LoginProblem}
 */
function requireOneServer(server) {
  const urls = ENDPOINTS.flatMap((name) => server[name] ?? []);
  for (const front of [server.authorization_endpoint, server.device_authorization_endpoint]) {
    if (front === undefined || originOf(front) === originOf(server.issuer)) continue;
    const other = urls.find((url) => originOf(url) !== originOf(front));
    if (other !== undefined) throw twoServers(front, other);
  }
}

/** @param {AuthorizationServer} server @throws {LoginProblem} */
function checkServer(server) {
  for (const name of ENDPOINTS) if (server[name] !== undefined) requireSafe(server[name]);
  requireOneServer(server);
  const methods = server.code_challenge_methods_supported;
  if (methods && !methods.includes("S256"))
    throw new LoginProblem(
      "unsupported",
      said(
        "login_without_pkce",
        "The server cannot protect the login with PKCE (S256), so the page does not begin it.",
      ),
    );
  return server;
}

/** @param {Response} response a server that has no such page may answer in many ways */
const isThere = (response) => response.status === 200 && /json/.test(response.headers.get("content-type") ?? "json");

/**
 * @param {string} issuer
 * @param {Send} send
 * @returns {Promise<AuthorizationServer | null>} null: it does not describe itself
 */
async function discoverIssuer(issuer, send) {
  requireSafe(issuer);
  for (const algorithm of /** @type {const} */ (["oauth2", "oidc"])) {
    const response = await oauth.discoveryRequest(new URL(issuer), { algorithm, ...sentBy(send) });
    if (isThere(response)) return checkServer(await oauth.processDiscoveryResponse(new URL(issuer), response));
  }
  return null;
}

/** The addresses at which an issuer may describe itself. @param {string} issuer */
function describedAt(issuer) {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    ...["oauth-authorization-server", "openid-configuration"].map((name) => `${origin}/.well-known/${name}${path}`),
  ];
}

/**
 * @param {string} url which the document names: the issuer is known only once it has answered
 * @param {Send} send
 * @returns {Promise<AuthorizationServer>}
 * @throws {LoginProblem} what answers is not the issuer's own place
 */
async function readMetadata(url, send) {
  requireSafe(url);
  const response = await send(url, asking());
  if (!isThere(response))
    throw new LoginProblem(
      "network",
      said("login_undescribed", "There is no description of a login at {url}: it answers with status {status}.", {
        url,
        status: response.status,
      }),
    );
  const { issuer } = await response.clone().json();
  if (typeof issuer !== "string" || !URL.canParse(issuer) || !describedAt(issuer).includes(url))
    throw new LoginProblem(
      "hostile",
      said(
        "login_of_another",
        "{url} describes the login of another server (`issuer` differs). The login is refused.",
        { url },
      ),
    );
  return checkServer(await oauth.processDiscoveryResponse(new URL(issuer), response));
}

/**
 * The document's own addresses; what the server says of itself is used only if it names the very same ones.
 * @param {LoginSource} source
 * @param {Send} send
 * @returns {Promise<AuthorizationServer>}
 */
async function readFlows({ authorization_url, token_url, device_url }, send) {
  requireSafe(token_url);
  const front = authorization_url || device_url || token_url;
  requireSafe(front);
  const issuer = originOf(front);
  const found = await discoverIssuer(issuer, send).catch((failure) => {
    if (failure instanceof LoginProblem && failure.code === "unsupported") throw failure;
    return null; // what it says elsewhere, or of another issuer, is not used at all
  });
  const isSame =
    found?.token_endpoint === token_url &&
    (authorization_url === "" || found.authorization_endpoint === authorization_url);
  if (found && isSame) return device_url ? checkServer({ ...found, device_authorization_endpoint: device_url }) : found;
  const isVouchedFor = found?.token_endpoint !== undefined && originOf(found.token_endpoint) === originOf(token_url);
  if (originOf(token_url) !== issuer && !isVouchedFor) throw twoServers(front, token_url);
  return checkServer({
    issuer,
    is_assumed: true,
    token_endpoint: token_url,
    ...(authorization_url && { authorization_endpoint: authorization_url }),
    ...(device_url && { device_authorization_endpoint: device_url }),
  });
}

/**
 * Where the server's refusal says, else at the place of RFC 9728; whether it is the server's own is checked after.
 * @param {string} url of an MCP server
 * @param {Send} send
 */
async function requestDescription(url, send) {
  const refused = await send(url, asking()).catch(() => null);
  const named = /resource_metadata="([^"]*)"/i.exec(refused?.headers.get("www-authenticate") ?? "")?.[1];
  if (named === undefined) return oauth.resourceDiscoveryRequest(new URL(url), sentBy(send));
  requireSafe(named);
  return send(named, asking());
}

/**
 * @param {string} url of an MCP server
 * @param {Send} send
 * @returns {Promise<FoundServer>}
 */
async function readProtectedResource(url, send) {
  const response = await requestDescription(url, send);
  const described = isThere(response) ? await oauth.processResourceDiscoveryResponse(new URL(url), response) : null;
  const issuer = described?.authorization_servers?.[0] ?? new URL(url).origin;
  const server = await discoverIssuer(issuer, send);
  if (!server)
    throw new LoginProblem(
      "unsupported",
      said("login_unknown", "{issuer} does not say how to log in. Paste a token as a credential instead.", { issuer }),
    );
  if (!server.code_challenge_methods_supported)
    throw new LoginProblem(
      "unsupported",
      said(
        "pkce_not_stated",
        "The server does not say that it protects logins with PKCE, which MCP requires. The login is refused.",
      ),
    );
  return { server, scopes: described?.scopes_supported ?? [], resource: described?.resource ?? url };
}

/**
 * @param {LoginSource} source
 * @param {Send} send rejects with a `LoginProblem` that says why an address cannot be reached
 * @returns {Promise<FoundServer>}
 * @throws {LoginProblem | Error} see `problemOf`
 */
export async function findServer(source, send) {
  if (source.mcp_url) return readProtectedResource(source.mcp_url, send);
  const server = source.metadata_url ? await readMetadata(source.metadata_url, send) : await readFlows(source, send);
  return { server, scopes: server.scopes_supported ?? [], resource: "" };
}
