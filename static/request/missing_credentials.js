// @ts-check
/** The credentials without which a refused request was sent, because this browser has not saved them. Pure. */
import { placeSecrets } from "./credential_placement.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").CredentialSet} CredentialSet */
/** @typedef {import("../types/types.d.ts").SecurityRequirement} SecurityRequirement */
/** @typedef {import("../types/types.d.ts").MissingCredential} MissingCredential */
/** @typedef {import("../types/types.d.ts").Via} Via */

/** As the bridge takes them. */
const SCHEME_CHARS = 200;
const MAX_MISSING = 20;

/** @param {SecurityRequirement} requirement @returns {MissingCredential} */
function missingOf({ scheme, type, in: location }) {
  const kind =
    type === "oauth2" || type === "openIdConnect" ? "login" : location === "cookie" ? "cookie" : "credential";
  return { scheme: scheme.slice(0, SCHEME_CHARS), kind };
}

/**
 * What is not saved of the first alternative that demands anything, and cookies, which no page can send.
 * @param {Pick<RequestPlan, "security">} plan
 * @param {CredentialSet} credentials
 * @returns {MissingCredential[]} none where a secret was sent
 */
export function missingCredentials(plan, credentials) {
  if (placeSecrets(plan, credentials).some((place) => place.in !== "nowhere")) return [];
  const demanded = (plan.security ?? []).find((all) => all.length > 0);
  if (!demanded) return [{ scheme: "", kind: "undeclared" }];
  const isMissing = (/** @type {SecurityRequirement} */ each) =>
    each.in === "cookie" || !Object.hasOwn(credentials, each.scheme);
  return demanded.filter(isMissing).map(missingOf).slice(0, MAX_MISSING);
}

/**
 * What an answer says of the credentials that its request went without; nothing unless it refuses the request.
 * With the login of the browser it did not go without any.
 * @param {number} status
 * @param {{pin: Pick<import("../types/types.d.ts").Pin, "plan">, credentials: CredentialSet, via: Pick<Via, "login">}} sending
 */
export function statedNeed(status, { pin, credentials, via }) {
  if (via.login || (status !== 401 && status !== 403)) return {};
  const missing_credentials = missingCredentials(pin.plan, credentials).filter(
    ({ kind }) => status === 401 || kind !== "undeclared",
  );
  return missing_credentials.length > 0 ? { missing_credentials } : {};
}
