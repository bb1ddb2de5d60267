// @ts-check
/** Loads what renews logins when a call carries one: most browsers have none. */

import { CallFailure } from "../executor/call_failure.js";

const OLD_PAGE = "This bridge page is older than its bridge. Reload the page.";

/**
 * @param {import("../executor/credentials.js").Credentials} credentials
 * @param {typeof fetch} send
 * @param {() => void} loginsChanged
 * @returns {(serverId: string, origin: string) => Promise<import("../types/types.d.ts").CredentialSet>} throws a `CallFailure`
 */
export function loginLoader(credentials, send, loginsChanged) {
  return async (serverId, origin) => {
    const stored = await credentials.loadCredentials(serverId, origin);
    if (!Object.values(stored).some((each) => "oauth" in each)) return stored;
    const { makeRenewal } = await import("./renewal.js").catch(() => {
      throw new CallFailure("no_browser", OLD_PAGE);
    });
    return makeRenewal({ credentials, send, loginsChanged, Failure: CallFailure }).freshCredentials(stored, serverId, origin);
  };
}
