// @ts-check
/** The device flow (RFC 8628): the user confirms a code at another address, on whatever device, while the page asks. */

import { t } from "../base/language.js";
import * as oauth from "../vendor/oauth4webapi-3.8.8.js";
import { LoginProblem, problemOf, TOO_LATE } from "./login_problem.js";
import { sentBy } from "./server_discovery.js";
import { aboutResource, authOf, loginOf } from "./token_requests.js";

/** @typedef {import("../types/oauth_types.d.ts").Login} Login */
/** @typedef {import("../types/oauth_types.d.ts").Send} Send */
/** @typedef {Pick<Login, "server" | "client" | "scopes" | "resource">} About */
/** @typedef {import("../vendor/oauth4webapi-3.8.8.js").DeviceAuthorizationResponse} DeviceCode */

const INTERVAL_S = 5;
const SLOWER_S = 5;

/** @typedef {{address: string, href: string, host: string, receivers: string[]}} Confirmation `address`: to type in elsewhere; `href`: the same host's, perhaps with the code; `receivers`: hosts that give the tokens, and so get them first */

/** A name before the host looks like one. @param {string} text */
function isPage(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "";
}

/**
 * Where the user confirms, and who is let in by that. They may differ: a server can have got its code from another one.
 * @param {Pick<DeviceCode, "verification_uri" | "verification_uri_complete">} code
 * @param {Pick<About["server"], "device_authorization_endpoint" | "token_endpoint">} server
 * @returns {Confirmation}
 */
export function confirmationOf(
  { verification_uri, verification_uri_complete = verification_uri },
  { device_authorization_endpoint, token_endpoint },
) {
  const [page, complete] = [new URL(verification_uri), new URL(verification_uri_complete)];
  const receivers = [device_authorization_endpoint, token_endpoint].flatMap((url) => (url ? [new URL(url).host] : []));
  return {
    address: page.href,
    href: complete.origin === page.origin ? complete.href : page.href,
    host: page.host,
    receivers: [...new Set(receivers)],
  };
}

/** @param {About} about @param {Send} send @returns {Promise<DeviceCode>} */
export async function requestDeviceCode({ server, client, scopes, resource }, send) {
  const parameters = { ...(scopes.length > 0 && { scope: scopes.join(" ") }), ...aboutResource(resource) };
  const response = await oauth.deviceAuthorizationRequest(
    server,
    client,
    authOf(server, client),
    parameters,
    sentBy(send),
  );
  const code = await oauth.processDeviceAuthorizationResponse(server, client, response);
  if (![code.verification_uri, code.verification_uri_complete ?? code.verification_uri].every(isPage))
    throw new LoginProblem(
      "hostile",
      t`The server names no http address to confirm the code at. The login is refused.`,
    );
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
    const options = { ...sentBy(send), additionalParameters: aboutResource(resource) };
    try {
      const response = await oauth.deviceCodeGrantRequest(
        server,
        client,
        authOf(server, client),
        code.device_code,
        options,
      );
      return loginOf(await oauth.processDeviceCodeResponse(server, client, response), {
        grant: "device",
        server,
        client,
        scopes,
        resource,
      });
    } catch (failure) {
      const { error } = /** @type {{error?: string}} */ (failure);
      if (error === "slow_down") interval += SLOWER_S;
      else if (error !== "authorization_pending") throw problemOf(failure);
    }
  }
  throw new LoginProblem("refused", TOO_LATE);
}
