// @ts-check
/**
 * The one Trusted Types policy of the page: only the bridge's own executor scripts may become a worker.
 * Firefox and Safari versions without Trusted Types take the plain address.
 */

const EXECUTOR_PATH = /^\/executor\/[\w.-]+\.js$/;

/** @param {string} url @returns {string} */
function checkUrl(url) {
  if (!EXECUTOR_PATH.test(url)) throw new TypeError(`"${url}" is not an executor script of this bridge.`);
  return url;
}

/** @typedef {{createPolicy: (name: string, rules: {createScriptURL: (url: string) => string}) => {createScriptURL: (url: string) => string}}} Factory */

const factory = /** @type {{trustedTypes?: Factory}} */ (globalThis).trustedTypes;
const policy = factory?.createPolicy("tool-bridge-executor", { createScriptURL: checkUrl });

/**
 * @param {string} url path of an executor script
 * @returns {string} what `new Worker` takes
 * @throws {TypeError} any other address
 */
export function trustedScript(url) {
  return policy ? policy.createScriptURL(url) : checkUrl(url);
}
