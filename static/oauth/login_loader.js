// @ts-check
/** Loads what renews logins when a call carries one: most browsers have none. */

import { CallFailure } from "../executor/call_failure.js";

const OLD_PAGE = "This bridge page is older than its bridge. Reload the page.";

/**
 * @param {import("./renewal.js").WorkerParts} parts
 * @returns {(serverId: string, origin: string, mayRenew: boolean) => Promise<import("../types/types.d.ts").CredentialSet>} throws a `CallFailure`
 */
export function loginLoader(parts) {
  return async (serverId, origin, mayRenew) => {
    const stored = await parts.credentials.loadCredentials(serverId, origin);
    if (!Object.values(stored).some((each) => "oauth" in each)) return stored;
    const { makeRenewal } = await import("./renewal.js").catch(() => {
      throw new CallFailure("no_browser", OLD_PAGE);
    });
    return makeRenewal({ ...parts, Failure: CallFailure }).freshCredentials(stored, serverId, origin, mayRenew);
  };
}
