// @ts-check
/** The authorization code flow with PKCE, state, iss and resource: the address to open, and what to make of the answer. */

import { t } from "../base/language.js";
import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { LoginProblem } from "./login_problem.js";
import { redeemCode } from "./token_requests.js";

/** @typedef {import("../types/oauth_types.d.ts").AuthorizationServer} AuthorizationServer */
/** @typedef {import("../types/oauth_types.d.ts").PendingLogin} PendingLogin */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */

/**
 * @param {Pick<PendingLogin, "server" | "client" | "redirect" | "scopes" | "resource">} about
 * @returns {Promise<{url: string, pending: PendingLogin}>}
 */
export async function beginLogin({ server, client, redirect, scopes, resource }) {
  if (!server.authorization_endpoint) throw new LoginProblem("unsupported", t`The server names no page to log in at.`);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = scopes.includes("openid") ? oauth.generateRandomNonce() : "";
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirect,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...(nonce && { nonce }),
    ...(resource && { resource }),
    ...(server.response_modes_supported?.includes("fragment") && { response_mode: "fragment" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending: { server, client, redirect, verifier, state, nonce, scopes, resource } };
}

/**
 * A server of which only the document's addresses are known may still name itself: then it must be at home there.
 * @param {PendingLogin} pending
 * @param {string | null} iss
 * @returns {AuthorizationServer}
 */
function serverOf({ server }, iss) {
  const isAtHome = iss !== null && URL.canParse(iss) && new URL(iss).origin === server.issuer;
  return server.is_assumed && isAtHome ? { ...server, issuer: iss } : server;
}

/**
 * @param {PendingLogin} pending
 * @param {URLSearchParams} parameters of the answer
 * @param {Send} send
 * @throws see `problemOf`; an answer that is refused never has its code sent anywhere
 */
export async function finishLogin(pending, parameters, send) {
  const server = serverOf(pending, parameters.get("iss"));
  const accepted = oauth.validateAuthResponse(server, pending.client, parameters, pending.state);
  return redeemCode({ ...pending, server }, accepted, send);
}
