// @ts-check
/**
 * Says why a fetch failed. Browsers say "Failed to fetch" for everything, so this looks at what can be known besides:
 * the addresses, permissions, CSP reports, and whether the target's origin answers at all.
 *
 * `delivered` is "no" only where it is proven that the request never left (DESIGN §13 (2)): mixed content, Local
 * Network Access, CSP, or a host that a probe finds down.
 */

import { addressSpace, mixedContent } from "./address_space.js";

export { addressSpace, mixedContent } from "./address_space.js";

/** @typedef {import("./types.d.ts").Diagnosis} Diagnosis */
/** @typedef {import("./types.d.ts").AddressSpace} AddressSpace */
/** @typedef {import("./types.d.ts").PermissionAnswer} PermissionAnswer */
/** @typedef {"reachable" | "refused" | "silent" | "blocked_by_policy"} ProbeAnswer */
/**
 * What a diagnosis may look at; everything is injected in tests.
 * @typedef {object} Surroundings
 * @property {string} pageUrl
 * @property {typeof globalThis.fetch} fetch
 * @property {(space: AddressSpace) => Promise<PermissionAnswer>} permission
 * @property {(origin: string) => boolean} wasBlockedByPolicy  a CSP report about this origin came lately
 * @property {() => boolean} isOnline
 */
/**
 * @typedef {object} FailedFetch
 * @property {string} url
 * @property {readonly string[]} [origins] the origins the worker's CSP allows, when known
 * @property {boolean} [isProbeAllowed] default true
 */

/** A probe of a host that is up answers in milliseconds; one that drops packets never does. */
const PROBE_TIMEOUT_MS = 3000;

/** Permission names by address space, newest first; `local-network-access` is the name of Chrome 138 to 144. */
/** @type {Record<AddressSpace, string[]>} */
const PERMISSION_NAMES = {
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
  public: [],
};

/**
 * @param {AddressSpace} space
 * @returns {Promise<PermissionAnswer>} "unsupported" where the browser knows no such permission
 */
export async function networkPermission(space) {
  if (space === "public" || !globalThis.navigator?.permissions) return "unsupported";
  for (const name of PERMISSION_NAMES[space]) {
    const status = await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) }).catch(() => null);
    if (status) return status.state;
  }
  return "unsupported";
}

/**
 * Collects CSP reports of this worker or page, so that a diagnosis can ask for them.
 * @param {EventTarget} scope
 * @returns {(origin: string) => boolean}
 */
export function watchPolicy(scope) {
  /** @type {Map<string, number>} */
  const blocked = new Map();
  scope.addEventListener("securitypolicyviolation", (event) => {
    const { blockedURI, disposition } = /** @type {SecurityPolicyViolationEvent} */ (event);
    if (disposition === "enforce" && URL.canParse(blockedURI)) blocked.set(new URL(blockedURI).origin, Date.now());
  });
  return (origin) => Date.now() - (blocked.get(origin) ?? 0) < 2000;
}

/** CSP reports are queued as tasks of their own and may come after the rejection. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Takes up to 3 s when the host does not answer.
 * @param {FailedFetch} failed
 * @param {Surroundings} around
 * @returns {Promise<Diagnosis>}
 */
export async function diagnose(failed, around) {
  const { origin, hostname } = new URL(failed.url);
  const space = addressSpace(hostname);
  const detail = { origin, address_space: space };
  await nextTask();
  if (around.wasBlockedByPolicy(origin)) return policyBlock(failed, origin, detail);
  if (mixedContent(around.pageUrl, failed.url)) return mixed(origin, space, detail);
  const permission = await around.permission(space);
  const mayNeedPermission = space !== "public" && addressSpace(new URL(around.pageUrl).hostname) === "public";
  if (mayNeedPermission && permission === "denied") return localNetworkBlock(space, permission, detail);
  const probe = failed.isProbeAllowed === false ? "silent" : await probeOrigin(origin, around);
  if (probe === "reachable" || probe === "blocked_by_policy") return unreadable(origin, detail);
  if (mayNeedPermission && permission === "prompt") return localNetworkBlock(space, permission, detail);
  return unreachable(origin, probe, around.isOnline(), detail);
}

/**
 * A request that needs no CORS consent: an opaque answer proves that the origin is up.
 * @param {string} origin
 * @param {Surroundings} around
 * @returns {Promise<ProbeAnswer>}
 */
async function probeOrigin(origin, around) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PROBE_TIMEOUT_MS);
  try {
    await around.fetch(`${origin}/`, {
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: patience.signal,
    });
    return "reachable";
  } catch {
    if (patience.signal.aborted) return "silent";
    await nextTask();
    return around.wasBlockedByPolicy(origin) ? "blocked_by_policy" : "refused";
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {FailedFetch} failed
 * @param {string} origin
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function policyBlock({ origins }, origin, detail) {
  if (origins?.includes(origin))
    return {
      code: "redirect_refused",
      message: `${origin} redirected to an address outside the origins you accepted. Put the final address into the server's base URL.`,
      detail,
      delivered: "unknown",
      retryable: false,
    };
  return {
    code: "blocked_by_policy",
    message: `The page may not reach ${origin}: it is not among the origins you accepted. Accept the server's tools again, or reload the bridge page.`,
    detail,
    delivered: "no",
    retryable: false,
  };
}

/**
 * @param {string} origin
 * @param {AddressSpace} space
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function mixed(origin, space, detail) {
  const fix =
    space === "local"
      ? "Allow local network access for this page, use https or the IP address for the API, or open the bridge page on http://localhost."
      : "Use https for the API, or open the bridge page on http://localhost.";
  return {
    code: "mixed_content",
    message: `This page came over https, and the browser blocks the plain http address ${origin}. ${fix}`,
    detail,
    delivered: "no",
    retryable: false,
  };
}

/**
 * @param {AddressSpace} space
 * @param {PermissionAnswer} permission
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function localNetworkBlock(space, permission, detail) {
  const what = space === "loopback" ? "apps on this device" : "devices on your local network";
  const fix =
    permission === "prompt"
      ? `Open the bridge page, press "Check" at this server and allow access to ${what}.`
      : `Open the site settings of the bridge page (icon left of the address), allow access to ${what}, and reload.`;
  return {
    code: "blocked_local_network",
    message: `The browser does not let this page reach ${what}. ${fix} A bridge page on http://localhost needs no permission.`,
    detail: { ...detail, permission },
    delivered: "no",
    retryable: false,
  };
}

/**
 * The origin is up, yet the answer could not be read.
 * @param {string} origin
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function unreadable(origin, detail) {
  return {
    code: "cors",
    message: `${origin} is up, but does not let this page read its answers (CORS). The API must allow the origin of the bridge page, the method and the headers that are sent.`,
    detail,
    delivered: "unknown",
    retryable: false,
  };
}

/**
 * @param {string} origin
 * @param {ProbeAnswer} probe
 * @param {boolean} isOnline
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function unreachable(origin, probe, isOnline, detail) {
  const why = isOnline
    ? `Nothing answers at ${origin}. Check that the API is running and that the address and port are right.`
    : `This computer is offline, so ${origin} cannot be reached.`;
  return {
    code: "network",
    message: why,
    detail: { ...detail, probe, online: isOnline },
    delivered: probe === "refused" ? "no" : "unknown",
    retryable: true,
  };
}
