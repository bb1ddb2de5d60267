// @ts-check
/** Forgetting what logs in: a token that only this browser has forgotten is still good for whoever copied it. */

import { sendLogin } from "./login_requests.js";
import { LoginSteps } from "./login_steps.js";
import { StoredLogins } from "./stored_logins.js";

/**
 * Logs out every account of a credential, as *Log out* does, and removes it here in any case.
 * @param {Pick<import("../types/view_types.js").Parts, "credentials" | "executor" | "probes" | "store">} parts
 * @param {import("../types/oauth_types.js").LoginPlace} place
 * @returns {Promise<string>} what became of each account at its server, in words
 */
export async function forgetLogins({ credentials, executor, probes, store }, place) {
  const logins = new StoredLogins(credentials);
  const steps = new LoginSteps(logins, sendLogin(probes, store, place.serverId), () => executor.refreshOrigins());
  const accounts = Object.keys((await logins.readLogins(place)).logins);
  const said = [];
  for (const account of accounts) said.push(`${account}: ${await steps.logOut(place, account)}`);
  executor.dispatchEvent(new CustomEvent("logins")); // the accounts that are shown
  return said.join(" ");
}
