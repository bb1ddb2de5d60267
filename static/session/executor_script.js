// @ts-check
/**
 * Where the executor's script comes from, and the one Trusted Types policy of the page: only the bridge's own scripts of
 * workers may become one. Firefox and Safari versions without Trusted Types take the plain address.
 */

/** @typedef {import("../types/types.d.ts").ExecutorOffer} ExecutorOffer */

import { bridgePath, PREFIX } from "../base/bridge_paths.js";
import { t, verbatim } from "../base/language.js";
import { addRoute } from "../base/bridge_route.js";

/** The digest in the page's addresses: a worker of another version would not understand this page. */
export const OWN_VERSION = /\/static\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? "";

/** Of an executor, or of the document worker. */
const WORKER_PATH = /^\/(?:executor\/[\w.-]+\.js(\?route=[\w%-]+)?|document-worker\/[0-9a-f]+\.js)$/;

/** @param {string} url @returns {string} */
function checkUrl(url) {
  if (!url.startsWith(PREFIX) || !WORKER_PATH.test(url.slice(PREFIX.length)))
    throw new TypeError(t`"${url}" is not a worker script of this bridge.`);
  return url;
}

/** @typedef {{createPolicy: (name: string, rules: {createScriptURL: (url: string) => string}) => {createScriptURL: (url: string) => string}}} Factory */

const factory = /** @type {{trustedTypes?: Factory}} */ (globalThis).trustedTypes;
const policy = factory?.createPolicy("tool-bridge-executor", { createScriptURL: checkUrl });

/**
 * @param {string} path of a worker's script
 * @param {string} route of the session
 * @returns {string} what `new Worker` takes
 * @throws {TypeError} any other address
 */
export function trustedScript(path, route) {
  const url = addRoute(path, route);
  return policy ? policy.createScriptURL(url) : checkUrl(url);
}

/**
 * Asks the bridge for the executor; with another token if the first one is refused.
 * @param {{sessionToken: () => Promise<string>, renewToken: () => Promise<string>}} identity
 * @param {typeof fetch} send
 * @param {string[]} login_origins where this browser renews its logins
 * @returns {Promise<ExecutorOffer>}
 */
export async function requestExecutor(identity, send, login_origins) {
  const body = JSON.stringify({ version: OWN_VERSION, login_origins });
  const answer = await post(send, await identity.sessionToken(), body);
  return read(answer.status === 401 ? await post(send, await identity.renewToken(), body) : answer);
}

/** @param {typeof fetch} send @param {string} token @param {string} body */
function post(send, token, body) {
  const headers = { authorization: verbatim(`Bearer ${token}`), "content-type": "application/json" };
  return send(bridgePath("/api/executor"), { method: "POST", headers, body, cache: "no-store" });
}

/** @param {Response} answer */
async function read(answer) {
  const body = await answer.json();
  if (answer.ok) return body;
  throw Object.assign(new Error(body.error?.message ?? t`The bridge refuses to start the executor.`), {
    code: body.error?.code ?? "internal",
  });
}
