// @ts-check
/** Every way to a token but the browser's way there: redeeming, renewing, revoking. What is sent goes through `send`. */

import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { sentBy } from "./server_discovery.js";

/** @typedef {import("../types/oauth_types.d.ts").AuthorizationServer} AuthorizationServer */
/** @typedef {import("../types/oauth_types.d.ts").OAuthClient} OAuthClient */
/** @typedef {import("../types/oauth_types.d.ts").Login} Login */
/** @typedef {import("../types/oauth_types.d.ts").PendingLogin} PendingLogin */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */
/** @typedef {import("../vendor/oauth4webapi-3.8.8.js").TokenEndpointResponse} Tokens */

/** How the page shows itself: a secret goes where the server wants it (RFC 6749 §2.3.1). @param {AuthorizationServer} server @param {OAuthClient} client */
export function authOf({ token_endpoint_auth_methods_supported: methods }, { client_secret }) {
  if (!client_secret) return oauth.None();
  const isPosted = methods?.includes("client_secret_post") && !methods.includes("client_secret_basic");
  return isPosted ? oauth.ClientSecretPost(client_secret) : oauth.ClientSecretBasic(client_secret);
}

/** @param {string} resource */
export const aboutResource = (resource) => (resource ? { resource } : undefined);

/**
 * @param {Tokens} tokens
 * @param {Omit<Login, "access_token" | "refresh_token" | "expires_at" | "obtained_at" | "missing_scopes" | "ended">} known
 * @param {string} refreshToken of before: a server that does not rotate sends none
 * @returns {Login}
 */
export function loginOf({ access_token, refresh_token, expires_in, scope }, known, refreshToken = "") {
  const now = Date.now();
  return {
    ...known,
    access_token,
    refresh_token: refresh_token ?? refreshToken,
    expires_at: expires_in === undefined ? null : now + expires_in * 1000,
    obtained_at: now,
    scopes: scope === undefined ? known.scopes : scope.split(" ").filter(Boolean),
    missing_scopes: [],
    ended: "",
  };
}

/**
 * @param {PendingLogin} pending
 * @param {URLSearchParams} parameters that `validateAuthResponse` has accepted
 * @param {Send} send
 */
export async function redeemCode({ server, client, redirect, verifier, nonce, scopes, resource }, parameters, send) {
  const options = { ...sentBy(send), additionalParameters: aboutResource(resource) };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authOf(server, client),
    parameters,
    redirect,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    response,
    nonce ? { expectedNonce: nonce, requireIdToken: true } : {},
  );
  const { email, preferred_username, name, sub } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
  const login = loginOf(tokens, { grant: "code", server, client, scopes, resource });
  return { login, person: String(email ?? preferred_username ?? name ?? sub ?? "") };
}

/**
 * A token for the client itself (RFC 6749 §4.4).
 * @param {Pick<Login, "server" | "client" | "scopes" | "resource">} about
 * @param {Send} send
 */
export async function requestClientToken({ server, client, scopes, resource }, send) {
  const parameters = { ...(scopes.length > 0 && { scope: scopes.join(" ") }), ...aboutResource(resource) };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    authOf(server, client),
    parameters,
    sentBy(send),
  );
  return loginOf(await oauth.processClientCredentialsResponse(server, client, response), {
    grant: "client",
    server,
    client,
    scopes,
    resource,
  });
}

/**
 * @param {Login} login with a refresh token, or of a client itself
 * @param {Send} send
 * @returns {Promise<Login>}
 */
export async function renewLogin(login, send) {
  const { grant, server, client, refresh_token, scopes, resource } = login;
  if (grant === "client") return requestClientToken(login, send);
  const options = { ...sentBy(send), additionalParameters: aboutResource(resource) };
  const response = await oauth.refreshTokenGrantRequest(server, client, authOf(server, client), refresh_token, options);
  return loginOf(
    await oauth.processRefreshTokenResponse(server, client, response),
    { grant, server, client, scopes, resource },
    refresh_token,
  );
}

/** Whether a login can be renewed without its user. @param {Login} login */
export const isRenewable = ({ grant, refresh_token }) => grant === "client" || refresh_token !== "";

/**
 * Tells the server that the tokens are not needed any more (RFC 7009).
 * @param {Login} login
 * @param {Send} send
 * @returns {Promise<boolean>} false: the server has no such endpoint
 */
export async function revokeLogin({ server, client, refresh_token, access_token }, send) {
  if (server.revocation_endpoint === undefined) return false;
  for (const token of [refresh_token, access_token].filter(Boolean)) {
    const response = await oauth.revocationRequest(server, client, authOf(server, client), token, sentBy(send));
    await oauth.processRevocationResponse(response);
  }
  return true;
}
