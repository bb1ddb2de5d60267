/** The part of oauth4webapi 3.8.8 that the page uses. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly scopes_supported?: string[];
  readonly response_modes_supported?: string[];
  readonly grant_types_supported?: string[];
  readonly code_challenge_methods_supported?: string[];
  readonly token_endpoint_auth_methods_supported?: string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly client_id_metadata_document_supported?: boolean;
}
export interface Client {
  client_id: string;
}
export type ClientAuth = (as: AuthorizationServer, client: Client, body: URLSearchParams, headers: Headers) => void | Promise<void>;
export interface TokenEndpointResponse {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly scope?: string;
}
export interface DeviceAuthorizationResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete?: string;
  readonly expires_in: number;
  readonly interval?: number;
}
export interface ResourceServer {
  readonly resource: string;
  readonly authorization_servers?: string[];
  readonly scopes_supported?: string[];
}
export interface ResponseError extends Error {
  code: string;
  error: string;
  error_description?: string;
  status?: number;
}
export type Send = (url: string, init: { method: string; headers: Record<string, string>; body?: any; redirect: string; signal?: AbortSignal }) => Promise<Response>;
export declare const customFetch: unique symbol;
export declare const allowInsecureRequests: unique symbol;
export interface Options {
  [customFetch]?: Send;
  [allowInsecureRequests]?: boolean;
  signal?: AbortSignal;
  additionalParameters?: Record<string, string>;
}
export declare const RESPONSE_BODY_ERROR: string;
export declare const AUTHORIZATION_RESPONSE_ERROR: string;
export declare const WWW_AUTHENTICATE_CHALLENGE: string;
export function generateRandomCodeVerifier(): string;
export function generateRandomState(): string;
export function generateRandomNonce(): string;
export function calculatePKCECodeChallenge(verifier: string): Promise<string>;
export function ClientSecretBasic(secret: string): ClientAuth;
export function ClientSecretPost(secret: string): ClientAuth;
export function None(): ClientAuth;
export function discoveryRequest(issuer: URL, options: Options & { algorithm: "oidc" | "oauth2" }): Promise<Response>;
export function processDiscoveryResponse(issuer: URL, response: Response): Promise<AuthorizationServer>;
export function resourceDiscoveryRequest(resource: URL, options: Options): Promise<Response>;
export function processResourceDiscoveryResponse(resource: URL, response: Response): Promise<ResourceServer>;
export function validateAuthResponse(as: AuthorizationServer, client: Client, parameters: URLSearchParams, state: string): URLSearchParams;
export function authorizationCodeGrantRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, parameters: URLSearchParams, redirect: string, verifier: string, options: Options): Promise<Response>;
export function processAuthorizationCodeResponse(as: AuthorizationServer, client: Client, response: Response, options: { expectedNonce?: string; requireIdToken?: boolean }): Promise<TokenEndpointResponse>;
export function refreshTokenGrantRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, token: string, options: Options): Promise<Response>;
export function processRefreshTokenResponse(as: AuthorizationServer, client: Client, response: Response): Promise<TokenEndpointResponse>;
export function clientCredentialsGrantRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, parameters: Record<string, string>, options: Options): Promise<Response>;
export function processClientCredentialsResponse(as: AuthorizationServer, client: Client, response: Response): Promise<TokenEndpointResponse>;
export function deviceAuthorizationRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, parameters: Record<string, string>, options: Options): Promise<Response>;
export function processDeviceAuthorizationResponse(as: AuthorizationServer, client: Client, response: Response): Promise<DeviceAuthorizationResponse>;
export function deviceCodeGrantRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, code: string, options: Options): Promise<Response>;
export function processDeviceCodeResponse(as: AuthorizationServer, client: Client, response: Response): Promise<TokenEndpointResponse>;
export function revocationRequest(as: AuthorizationServer, client: Client, auth: ClientAuth, token: string, options: Options): Promise<Response>;
export function processRevocationResponse(response: Response): Promise<undefined>;
export function dynamicClientRegistrationRequest(as: AuthorizationServer, metadata: Record<string, unknown>, options: Options): Promise<Response>;
export function processDynamicClientRegistrationResponse(response: Response): Promise<Client & { client_secret?: string; token_endpoint_auth_method?: string }>;
export function getValidatedIdTokenClaims(response: TokenEndpointResponse): Record<string, unknown> | undefined;
