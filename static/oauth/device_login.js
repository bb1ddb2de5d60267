// @ts-check
/** The device flow (RFC 8628): the user confirms a code at another address, on whatever device, while the page asks. */

import { t } from "../base/language.js";
import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { LoginProblem, problemOf } from "./login_problem.js";
import { sentBy } from "./server_discovery.js";
import { authOf, loginOf } from "./token_requests.js";

/** @typedef {import("../types/oauth_types.d.ts").Login} Login */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */
/** @typedef {Pick<Login, "server" | "client" | "scopes" | "resource">} About */
/** @typedef {import("../vendor/oauth4webapi-3.8.8.js").DeviceAuthorizationResponse} DeviceCode */

const INTERVAL_S = 5;
const SLOWER_S = 5;

/** @param {About} about @param {Send} send @returns {Promise<DeviceCode>} */
export async function requestDeviceCode({ server, client, scopes }, send) {
  const parameters = { scope: scopes.join(" ") };
  const response = await oauth.deviceAuthorizationRequest(server, client, authOf(server, client), parameters, sentBy(send));
  const code = await oauth.processDeviceAuthorizationResponse(server, client, response);
  if (![code.verification_uri, code.verification_uri_complete ?? "https:"].every((url) => /^https?:/.test(url))) throw new LoginProblem("hostile", t`The server names no http address to confirm the code at. The login is refused.`);
  return code;
}

/**
 * Asks until the user has confirmed, at the pace that the server names.
 * @param {About} about
 * @param {DeviceCode} code
 * @param {{send: Send, wait: (milliseconds: number) => Promise<void>, now: () => number}} how `wait` rejects when the user gives up
 * @returns {Promise<Login>}
 */
export async function awaitConfirmation({ server, client, scopes, resource }, code, { send, wait, now }) {
  const until = now() + code.expires_in * 1000;
  let interval = code.interval ?? INTERVAL_S;
  while (now() < until) {
    await wait(interval * 1000);
    const options = { ...sentBy(send), additionalParameters: resource ? { resource } : undefined };
    try {
      const response = await oauth.deviceCodeGrantRequest(server, client, authOf(server, client), code.device_code, options);
      return loginOf(await oauth.processDeviceCodeResponse(server, client, response), { grant: "device", server, client, scopes, resource });
    } catch (failure) {
      const { error } = /** @type {{error?: string}} */ (failure);
      if (error === "slow_down") interval += SLOWER_S;
      else if (error !== "authorization_pending") throw problemOf(failure);
    }
  }
  throw new LoginProblem("refused", t`The code was not confirmed in time. Begin again.`);
}
