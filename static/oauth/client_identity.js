// @ts-check
/**
 * As whom the page logs in: the client id that its user gave, else the document in which a public bridge describes its
 * page, else by registering, the last resort.
 */

import { bridgePath } from "../base/bridge_paths.js";
import { t, verbatim } from "../base/language.js";
import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { addressSpace } from "../executor/address_space.js";
import { LoginProblem } from "./login_problem.js";
import { sentBy } from "./server_discovery.js";

/** @typedef {import("../types/oauth_types.d.ts").AuthorizationServer} AuthorizationServer */
/** @typedef {import("../types/oauth_types.d.ts").OAuthClient} OAuthClient */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */

export const CALLBACK_PATH = bridgePath("/oauth/callback");
const DOCUMENT_PATH = bridgePath("/oauth/client.json");

/** An authorization server can read the page's own description. @param {string} pageUrl */
const isPublicPage = (pageUrl) => {
  const { protocol, hostname } = new URL(pageUrl);
  return protocol === "https:" && addressSpace(hostname) === "public";
};

/**
 * @param {AuthorizationServer} server
 * @param {{given: OAuthClient, known: OAuthClient | null, pageUrl: string}} about `known`: registered at this issuer before
 * @param {Send} send
 * @returns {Promise<OAuthClient>}
 * @throws {LoginProblem} the user must give one
 */
export async function chooseClient(server, { given, known, pageUrl }, send) {
  if (given.client_id) return known?.client_id === given.client_id && !given.client_secret ? known : given;
  const { origin } = new URL(pageUrl);
  if (server.client_id_metadata_document_supported && isPublicPage(pageUrl))
    return { client_id: origin + DOCUMENT_PATH, client_secret: "" };
  if (known) return known;
  if (server.registration_endpoint) return registerClient(server, pageUrl, send);
  throw new LoginProblem(
    "unsupported",
    t`This server knows only clients that were registered with it. Register one there with the redirect address ${origin + CALLBACK_PATH}, and enter its client id.`,
  );
}

/** Dynamic registration (RFC 7591). @param {AuthorizationServer} server @param {string} pageUrl @param {Send} send */
async function registerClient(server, pageUrl, send) {
  const { origin, hostname } = new URL(pageUrl);
  const metadata = {
    client_name: verbatim("Tool Bridge"),
    redirect_uris: [origin + CALLBACK_PATH],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: addressSpace(hostname) === "loopback" ? "native" : "web",
  };
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, sentBy(send));
  const { client_id, client_secret, token_endpoint_auth_method } =
    await oauth.processDynamicClientRegistrationResponse(response);
  return { client_id, client_secret: token_endpoint_auth_method === "none" ? "" : (client_secret ?? "") };
}
