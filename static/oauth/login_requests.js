// @ts-check
/**
 * Requests of a login, as the user has chosen for their origin: each sent by a probe frame whose content policy names
 * that one origin (ruling 21), or by the companion extension, which is loaded for that.
 */

import { t } from "../base/language.js";
import { PAGES_COMPANION } from "../companion/page_companion.js";
import { readVia, WALLS } from "../executor/transport_choice.js";
import { sendAsChosen, sendByCompanion } from "./companion_requests.js";
import { LoginProblem } from "./login_problem.js";
import { Renewal } from "./renewal.js";
import { StoredLogins } from "./stored_logins.js";

/** @typedef {import("../types/oauth_types.js").Send} Send */

const NO_BODY = [204, 205, 304];

/** What a page cannot do for a server without CORS, and who can. @param {URL} url */
const corsWords = ({ origin, pathname }) =>
  t`${origin} does not let web pages read the answers of ${pathname} (CORS), so this page cannot log in there by itself. The companion extension can, if you choose that; or its operator allows this page's origin for that address; or you paste a token as a credential.`;

/** @param {import("../base/said.js").Said & {code?: string}} failure @param {URL} url */
function loginProblem(failure, url) {
  const { code = "network" } = failure;
  if (!WALLS.has(code)) return new LoginProblem("network", failure);
  return Object.assign(new LoginProblem("cors", code === "cors" ? corsWords(url) : failure), { origin: url.origin });
}

/**
 * @param {import("../session/probe_frames.js").ProbeFrames} probes
 * @returns {Send} rejects with a `LoginProblem`
 */
function sendByFrames(probes) {
  return async (url, { method, headers, body }) => {
    const target = new URL(url);
    const request = {
      method,
      headers: { ...headers },
      body: body === undefined || body === null ? null : String(body),
    };
    const reply = await probes
      .ask("probe:send", target, {}, request)
      .catch((failure) => Promise.reject(loginProblem(failure, target)));
    if (!("answer" in reply)) throw new LoginProblem("network", t`The probe returned no answer.`);
    const { status, headers: received, body: text } = reply.answer;
    if (status === 0)
      throw new LoginProblem("network", t`${url} answers with a redirect, which a login does not follow.`);
    return new Response(NO_BODY.includes(status) ? null : text, { status, headers: received });
  };
}

/** @type {Send} */
const sendByPagesCompanion = (url, init) => sendByCompanion(PAGES_COMPANION)(url, init);

/**
 * @param {import("../session/probe_frames.js").ProbeFrames} probes
 * @param {(origin: string) => Promise<import("../types/types.js").Via>} findVia as the user has chosen
 * @returns {Send} rejects with a `LoginProblem`
 */
export function sendLoginBy(probes, findVia) {
  return sendAsChosen(findVia, { page: sendByFrames(probes), companion: sendByPagesCompanion });
}

/**
 * @param {import("../session/probe_frames.js").ProbeFrames} probes
 * @param {import("../base/browser_store.js").BrowserStore} store
 * @param {string} serverId whose user has chosen
 * @returns {Send} rejects with a `LoginProblem`
 */
export const sendLogin = (probes, store, serverId) => sendLoginBy(probes, (origin) => readVia(store, serverId, origin));

/**
 * For a request of the page itself: what is stored, with tokens that have not expired.
 * @param {import("../executor/credentials.js").Credentials} credentials
 * @param {Parameters<typeof sendLogin>[0]} probes
 * @param {string} serverId
 * @param {string} origin
 * @returns {Promise<import("../types/types.js").CredentialSet>}
 * @throws {LoginProblem} `login_needed`
 */
export async function freshCredentials(credentials, probes, serverId, origin) {
  const sendOf = (/** @type {string} */ id) => sendLogin(probes, credentials.store, id);
  const parts = {
    logins: new StoredLogins(credentials),
    sendOf,
    now: Date.now,
    Failure: LoginProblem,
    loginsChanged: () => undefined,
  };
  const fresh = await new Renewal(parts).freshCredentials(
    await credentials.loadCredentials(serverId, origin),
    serverId,
    origin,
  );
  return Object.fromEntries(
    Object.entries(fresh).map(([scheme, each]) => [
      scheme,
      "check" in each ? { ...each, oauth: undefined, check: undefined } : each,
    ]),
  );
}
