// @ts-check
/** How a server's document, or an MCP server, wants its users to log in; and with which scopes. Pure. */
import { dictionaryOf, memberOf } from "../base/dictionary.js";
import { t } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").SecurityScheme} SecurityScheme */
/** @typedef {import("../types/oauth_types.d.ts").Grant} Grant */
/** @typedef {import("../types/oauth_types.d.ts").LoginSource} LoginSource */
/** @typedef {{name: string, about: string, needed: boolean}} ScopeChoice */
/**
 * @typedef {object} LoginOffer  one scheme that a user can log in to
 * @property {string} scheme    "*": the whole server
 * @property {string} about
 * @property {Partial<Record<Grant, LoginSource>>} ways  at least one
 * @property {ScopeChoice[]} scopes
 */

/** @type {LoginSource} */
const NOTHING = { authorization_url: "", token_url: "", device_url: "", metadata_url: "", mcp_url: "" };
/** What OpenID providers understand beside the scopes of an API. */
const OPENID = { openid: t`Tells who you are`, offline_access: t`Stay logged in: renew the login while you are away` };

/** @type {[Grant, string][]} */
const WAYS = [
  ["code", "authorizationCode"],
  ["device", "deviceAuthorization"],
  ["client", "clientCredentials"],
];

/** Addresses may be relative (3.2 §4.28). @param {string} url @param {ServerDetail} server */
function absolute(url, { source_url, base_url, origins }) {
  const base = [source_url, base_url, origins[0]].find((each) => each && URL.canParse(each) && /^https?:/.test(each));
  return url && URL.canParse(url, base ?? undefined) ? new URL(url, base ?? undefined).href : "";
}

/** @param {SecurityScheme} scheme @param {ServerDetail} server @returns {LoginOffer["ways"]} */
function waysOf({ flows, metadata_url }, server) {
  const described = { ...NOTHING, metadata_url: absolute(metadata_url, server) };
  /** @type {LoginOffer["ways"]} */
  const ways = dictionaryOf(described.metadata_url ? { code: described } : {});
  for (const [grant, kind] of WAYS) {
    const flow = flows.find((each) => each.kind === kind);
    const token_url = absolute(flow?.token_url ?? "", server);
    if (!flow || !token_url) continue;
    const [authorization_url, device_url] = [flow.authorization_url, flow.device_url].map((url) =>
      absolute(url, server),
    );
    if ((grant === "code" && !authorization_url) || (grant === "device" && !device_url)) continue;
    ways[grant] =
      described.metadata_url && grant !== "device"
        ? described
        : { ...NOTHING, authorization_url, token_url, device_url };
  }
  return ways;
}

/**
 * Those that the accepted operations need are chosen; with none accepted, those of all.
 * @param {SecurityScheme} scheme
 * @param {ServerDetail} server
 * @returns {ScopeChoice[]}
 */
function scopesOf({ scheme, type, flows }, { tools }) {
  const accepted = tools.filter(({ digest, accepted_digest }) => digest === accepted_digest);
  const needed = new Set(
    (accepted.length > 0 ? accepted : tools).flatMap(({ scopes }) => memberOf(scopes, scheme) ?? []),
  );
  const named = Object.assign(
    dictionaryOf({}),
    type === "openIdConnect" ? OPENID : {},
    ...flows.map(({ scopes }) => scopes),
  );
  if (type === "openIdConnect") needed.add("openid");
  return [...new Set([...needed, ...Object.keys(named)])].map((name) => ({
    name,
    about: named[name] ?? "",
    needed: needed.has(name),
  }));
}

/** Where to log in the server itself says (RFC 9728). @param {string} mcp_url @returns {LoginOffer} */
export const mcpOffer = (mcp_url) => ({
  scheme: "*",
  about: t`The MCP server says where.`,
  ways: { code: { ...NOTHING, mcp_url } },
  scopes: [],
});

/**
 * Where the calls of an MCP server go: a login is for that and goes there, whatever another user says the tools are from. The
 * address that the tools are from may end in a slash or a query, which the base address lacks.
 * @param {ServerDetail} server
 */
function endpointOf({ source_url, base_url }) {
  const source = source_url !== null && URL.canParse(source_url) ? new URL(source_url) : null;
  return source && source.origin + source.pathname.replace(/\/+$/, "") === base_url ? source.href : base_url;
}

/** @param {ServerDetail} server @returns {LoginOffer[]} */
export function loginOffers(server) {
  if (server.kind === "mcp") return [mcpOffer(endpointOf(server))];
  return server.security_schemes
    .filter(({ type }) => type === "oauth2" || type === "openIdConnect")
    .map((scheme) => ({
      scheme: scheme.scheme,
      about: scheme.description ?? "",
      ways: waysOf(scheme, server),
      scopes: scopesOf(scheme, server),
    }))
    .filter(({ ways }) => Object.keys(ways).length > 0);
}
