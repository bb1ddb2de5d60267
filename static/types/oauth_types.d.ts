/** What the modules that log in exchange. Types only. */

import type { AuthorizationServer as DescribedServer, Send } from "../vendor/oauth4webapi-3.8.8.js";

export type { Send };
/** `is_assumed`: it does not describe itself; its addresses are the document's and its issuer a guess. */
export type AuthorizationServer = DescribedServer & { readonly is_assumed?: true };
/** As the authorization server knows this page. */
export interface OAuthClient {
  client_id: string;
  /** "" for a public client, which all pages are unless their user says otherwise. */
  client_secret: string;
}
export type Grant = "code" | "device" | "client";
/** One account's tokens and what renews them. Stored encrypted; only its `access_token` ever reaches an API. */
export interface Login {
  grant: Grant;
  /** Credentials of one issuer are never sent to another. */
  server: AuthorizationServer;
  client: OAuthClient;
  access_token: string;
  refresh_token: string;
  /** Milliseconds since 1970; null: the server did not say. */
  expires_at: number | null;
  obtained_at: number;
  scopes: string[];
  /** The API that the tokens are for (RFC 8707); "": the server was not told. */
  resource: string;
  /** Scopes that the API asked for since. */
  missing_scopes: string[];
  /** Why this login cannot be used any more; "": it can. */
  ended: string;
  /** Since when a renewal has had no answer that can be used, in milliseconds since 1970: the server may have performed it. */
  unanswered_since?: number;
}
/** What stands in the place of a pasted token. `value`: the access token in use. */
export interface OAuthCredential {
  value: string;
  oauth: { active: string; logins: Record<string, Login> };
}
/** Where a login is stored. */
export interface LoginPlace {
  serverId: string;
  origin: string;
  scheme: string;
}
/** How a login can be begun, of what the document or the MCP server says. */
export interface LoginSource {
  /** Absolute addresses of the document's flows, "" where none is. */
  authorization_url: string;
  token_url: string;
  device_url: string;
  /** Of an OpenID provider or authorization server; "" for none. */
  metadata_url: string;
  /** The endpoint of an MCP server, "" for a document. */
  mcp_url: string;
}
/** What was found of a source. */
export interface FoundServer {
  server: AuthorizationServer;
  scopes: string[];
  /** The resource as the MCP server names itself; "" otherwise. */
  resource: string;
}
/** A login on its way, in the memory of the page that began it. */
export interface PendingLogin {
  server: AuthorizationServer;
  client: OAuthClient;
  redirect: string;
  verifier: string;
  state: string;
  nonce: string;
  scopes: string[];
  resource: string;
}
