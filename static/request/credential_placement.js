// @ts-check
/**
 * Which stored secrets a request carries and where they go. Pure; knows nothing of storage.
 *
 * `plan.security` is an OR of ANDs: the first alternative for which every secret is there is used; nothing is sent when
 * none is complete, so that an API that is open after all still answers. Of schemes that go to the same place one is
 * enough, since no request can carry two: many documents describe two ways to get the same token. The entry "*" of the credentials is sent
 * with every request of the server, whatever its document says.
 */

import { memberOf } from "../base/dictionary.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("../types/types.d.ts").SecurityRequirement} SecurityRequirement */
/** @typedef {import("../types/types.d.ts").Unsendable} Unsendable */

/**
 * @typedef {object} Placement
 * @property {"header" | "query" | "nowhere"} in
 * @property {string} name     header names in lower case
 * @property {string} text     what is written there; for "nowhere" the reason
 */

/** Every scheme for which something went wrong gets the same words. */
const COOKIE_REASON = "A page cannot set cookies of another site.";

/** @param {string} text */
function encodeBase64(text) {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** People paste "Bearer abc" as well as "abc". @param {string} token @param {string} [scheme] in lower case */
function withoutScheme(token, scheme = "bearer") {
  const text = token.trim();
  return text.toLowerCase().startsWith(`${scheme} `) ? text.slice(scheme.length).trim() : text;
}

/** User name and password as RFC 7617 writes them; some APIs take a key as the name, and no password. @param {Record<string, unknown>} credential */
const basicPair = ({ username, password }) => `${username}:${password ?? ""}`;

/**
 * @param {string} httpScheme
 * @param {Record<string, unknown>} credential
 * @returns {Placement}
 */
function placeHttp(httpScheme, credential) {
  const scheme = httpScheme.toLowerCase();
  /** @param {string} text @returns {Placement} */
  const authorization = (text) => ({ in: "header", name: "authorization", text });
  if (scheme === "basic") {
    return authorization(
      `Basic ${encodeBase64("username" in credential ? basicPair(credential) : String(credential.value))}`,
    );
  }
  if (scheme === "bearer") return authorization(`Bearer ${withoutScheme(String(credential.value ?? ""))}`);
  if (["digest", "mutual", "negotiate", "hoba", "scram-sha-1", "scram-sha-256"].includes(scheme))
    return { in: "nowhere", name: httpScheme, text: `A page cannot answer a ${httpScheme} challenge.` };
  return authorization(`${httpScheme} ${withoutScheme(String(credential.value ?? ""), scheme)}`.trim());
}

/**
 * @param {SecurityRequirement} requirement
 * @param {Record<string, unknown>} credential
 * @returns {Placement}
 */
function placeCredential(requirement, credential) {
  const { type } = requirement;
  if (type === "http") return placeHttp(requirement.http_scheme ?? "bearer", credential);
  if (type === "oauth2" || type === "openIdConnect") return placeHttp("bearer", credential);
  if (type !== "apiKey") return { in: "nowhere", name: type, text: `A page cannot use ${type}.` };
  const name = requirement.name ?? "";
  const text = String(credential.value ?? credential.password ?? "");
  if (requirement.in === "query") return { in: "query", name, text };
  if (requirement.in === "header") return { in: "header", name: name.toLowerCase(), text };
  return { in: "nowhere", name, text: COOKIE_REASON };
}

/** Where a secret goes; a header or query parameter has one value. @param {SecurityRequirement} requirement */
function spotOf({ scheme, type, in: location, name }) {
  if (["http", "oauth2", "openIdConnect"].includes(type)) return "header authorization";
  if (type !== "apiKey" || location === "cookie") return `nowhere ${scheme}`;
  return location === "header" ? `header ${(name ?? "").toLowerCase()}` : `query ${name}`;
}

/**
 * @param {SecurityRequirement[][]} alternatives
 * @param {CredentialSet} credentials
 * @returns {SecurityRequirement[]} for each place the first that is saved
 */
function chooseAlternative(alternatives, credentials) {
  for (const all of alternatives) {
    /** @type {Map<string, SecurityRequirement>} */
    const saved = new Map();
    for (const requirement of all) {
      const isSaved = requirement.scheme !== "*" && Object.hasOwn(credentials, requirement.scheme);
      if (isSaved && !saved.has(spotOf(requirement))) saved.set(spotOf(requirement), requirement);
    }
    if (all.length > 0 && all.every((requirement) => saved.has(spotOf(requirement)))) return [...saved.values()];
  }
  return [];
}

/**
 * @param {Pick<RequestPlan, "security">} plan
 * @param {CredentialSet} credentials
 * @returns {Placement[]}
 */
export function placeSecrets(plan, credentials) {
  const chosen = chooseAlternative(plan.security ?? [], credentials);
  const placements = chosen.map((requirement) =>
    placeCredential(requirement, { ...memberOf(credentials, requirement.scheme) }),
  );
  const forServer = Object.hasOwn(credentials, "*") ? { .../** @type {object} */ (credentials["*"]) } : null;
  if (forServer) placements.push(placeCredential(/** @type {any} */ ({ scheme: "*", ...forServer }), forServer));
  return placements;
}

/**
 * Every text that must never leave the browser except in the request itself, longest first.
 * @param {CredentialSet} credentials
 * @returns {string[]} values shorter than 4 characters are left out: removing them would garble any text
 */
export function secretTexts(credentials) {
  const texts = new Set();
  for (const credential of Object.values(credentials)) {
    if ("value" in credential) texts.add(credential.value).add(withoutScheme(credential.value));
    if ("username" in credential)
      texts.add(encodeBase64(basicPair(credential))).add(credential.password || credential.username);
    else if ("password" in credential) texts.add(credential.password);
  }
  return [...texts].filter((text) => text.length >= 4).sort((a, b) => b.length - a.length);
}
