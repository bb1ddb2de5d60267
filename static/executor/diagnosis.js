// @ts-check
/**
 * Says why a fetch failed. Browsers say "Failed to fetch" for everything, so this looks at what can be known besides:
 * the addresses, permissions, CSP reports, and whether the target's origin answers at all.
 *
 * `delivered` is "no" only where it is proven that the request never arrived: mixed content, Local Network Access, CSP,
 * or a host that a probe finds down. A probe proves less than it seems, hence two limits. A host that answers with
 * `Cross-Origin-Resource-Policy` and without CORS looks down (measured, Chromium 156), so for a request that needs no
 * preflight nothing is proven. And a host that died while it worked on the request looks down too, so a fetch that
 * took much longer to fail than the probe proves nothing either.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { said } from "../base/said.js";
import { sendProbe } from "../causes/probe_request.js";
import { explainUnreadable } from "../causes/unreadable_answer.js";
import { addressSpace, mixedContent } from "./address_space.js";

export { addressSpace, mixedContent } from "./address_space.js";

/** @typedef {import("../types/types.d.ts").Diagnosis} Diagnosis */
/** @typedef {import("../types/types.d.ts").AddressSpace} AddressSpace */
/** @typedef {import("../types/types.d.ts").PermissionAnswer} PermissionAnswer */
/** @typedef {"reachable" | "refused" | "silent"} ProbeAnswer */
/**
 * What a diagnosis may look at; everything is injected in tests.
 * @typedef {object} DiagnosisEnvironment
 * @property {string} pageUrl
 * @property {typeof globalThis.fetch} fetch
 * @property {(space: AddressSpace) => Promise<PermissionAnswer>} permission
 * @property {(origin: string) => boolean} wasBlockedByPolicy  a CSP report about this origin came lately
 * @property {() => boolean} isOnline
 * @property {(origin: string) => Promise<import("../types/types.d.ts").PastRead[]>} listReads  what this page could read of it before, newest first
 * @property {boolean} [isLocalExempt]  http addresses of the local network are not mixed content here; default: true
 */
/**
 * @typedef {object} FetchFacts
 * @property {readonly string[]} [origins] the origins the worker's CSP allows, when known
 * @property {boolean} [mayArriveUnasked] it changes something and browsers send it without a preflight
 * @property {number} [took_ms] from fetch to rejection
 */
/** @typedef {import("../causes/unreadable_answer.js").UnreadRequest & FetchFacts} FailedFetch */

/** A refused connection fails as quickly the second time; so much more than that was spent at a living host. */
const REFUSAL_TOLERANCE_MS = 250;

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
    if (disposition === "enforce" && URL.canParse(blockedURI))
      blocked.set(new URL(blockedURI).origin, performance.now());
  });
  return (origin) => performance.now() - (blocked.get(origin) ?? -Infinity) < 2000;
}

/** CSP reports are queued as tasks of their own and may come after the rejection. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Takes up to 3 s when the host does not answer, and up to 6 s more to look for a redirect.
 * @param {FailedFetch} failed
 * @param {DiagnosisEnvironment} environment
 * @returns {Promise<Diagnosis>}
 */
export async function diagnoseFailure(failed, environment) {
  const { origin, hostname } = new URL(failed.url);
  const space = addressSpace(hostname);
  const detail = { origin, address_space: space };
  await nextTask();
  if (environment.wasBlockedByPolicy(origin)) return policyBlock(failed, origin, detail);
  const { pageUrl, isLocalExempt } = environment;
  if (mixedContent(pageUrl, failed.url, isLocalExempt))
    return mixedContentDiagnosis(origin, space === "local" && isLocalExempt !== false, detail);
  const permission = await environment.permission(space);
  const mayNeedPermission = space !== "public" && addressSpace(new URL(environment.pageUrl).hostname) === "public";
  if (mayNeedPermission && permission === "denied") return localNetworkBlock(space, permission, detail);
  const { answer, took_ms } = await probeOrigin(origin, environment);
  if (answer === "reachable")
    return explainUnreadable(failed, { detail, reads: await environment.listReads(origin), fetch: environment.fetch });
  if (mayNeedPermission && permission === "prompt") return localNetworkBlock(space, permission, detail);
  const wasQuick = (failed.took_ms ?? 0) <= took_ms + REFUSAL_TOLERANCE_MS;
  const isProven = answer === "refused" && wasQuick && !failed.mayArriveUnasked;
  const facts = { ...detail, probe: answer, online: environment.isOnline() };
  return unreachableDiagnosis(origin, isProven ? "no" : "unknown", facts);
}

/**
 * Two requests to the origin's root: an opaque answer needs no CORS consent but may be withheld by a resource policy, or lost in a
 * circle of redirects; a CORS answer, which may be a redirect, the other way round. Either proves that the origin is up.
 * @param {string} origin
 * @param {DiagnosisEnvironment} environment
 * @returns {Promise<{answer: ProbeAnswer, took_ms: number}>} `took_ms`: of the quicker one
 */
async function probeOrigin(origin, environment) {
  const started = performance.now();
  const opaque = await probeOnce(origin, { mode: "no-cors" }, environment);
  const took_ms = performance.now() - started;
  if (opaque !== "refused") return { answer: opaque, took_ms };
  return { answer: await probeOnce(origin, { mode: "cors", redirect: "manual" }, environment), took_ms };
}

/**
 * @param {string} origin
 * @param {RequestInit} how
 * @param {DiagnosisEnvironment} environment
 * @returns {Promise<ProbeAnswer>}
 */
async function probeOnce(origin, how, environment) {
  const answer = await sendProbe(environment.fetch, `${origin}/`, how);
  if (typeof answer !== "string") return "reachable";
  if (answer === "silent") return "silent";
  await nextTask(); // A redirect into the policy is an answer as well.
  return environment.wasBlockedByPolicy(origin) ? "reachable" : "refused";
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
      ...said(
        "redirect_elsewhere",
        "{origin} redirected to another origin, which is not among those you accepted. Put the final address into the server's base URL.",
        { origin },
      ),
      detail,
      delivered: "unknown",
      retryable: false,
    };
  return {
    code: "blocked_by_policy",
    message: `The bridge page has no permission for ${origin}. Reload the bridge page. If this persists, set the server's base URL to exactly this origin, and accept its tools again.`,
    detail,
    delivered: "no",
    retryable: false,
  };
}

/**
 * @param {string} origin
 * @param {boolean} canBeAllowed by the user, as a device of the local network
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function mixedContentDiagnosis(origin, canBeAllowed, detail) {
  const words = canBeAllowed
    ? said(
        "mixed_content_local",
        "This page came over https, and the browser blocks the plain http address {origin}. Allow local network access for this page, use https or the IP address for the API, or open the bridge page on http://localhost.",
        { origin },
      )
    : said(
        "mixed_content",
        "This page came over https, and the browser blocks the plain http address {origin}. Use https for the API, or open the bridge page on http://localhost.",
        { origin },
      );
  return {
    code: "mixed_content",
    ...words,
    detail,
    delivered: "no",
    retryable: false,
  };
}

const NOT_ASKED = dictionaryOf({
  loopback: said(
    "apps_not_asked",
    'The browser does not let this page reach apps on this device. Open the bridge page, press "Check" for this server and allow access to apps on this device. A bridge page on http://localhost needs no permission.',
  ),
  local: said(
    "devices_not_asked",
    'The browser does not let this page reach devices on your local network. Open the bridge page, press "Check" for this server and allow access to devices on your local network. A bridge page on http://localhost needs no permission.',
  ),
});
const DENIED = dictionaryOf({
  loopback: said(
    "apps_denied",
    "The browser does not let this page reach apps on this device. Open the site settings of the bridge page (icon left of the address), allow access to apps on this device, and reload. A bridge page on http://localhost needs no permission.",
  ),
  local: said(
    "devices_denied",
    "The browser does not let this page reach devices on your local network. Open the site settings of the bridge page (icon left of the address), allow access to devices on your local network, and reload. A bridge page on http://localhost needs no permission.",
  ),
});

/**
 * @param {Exclude<AddressSpace, "public">} space
 * @param {"prompt" | "denied"} permission
 * @param {Record<string, unknown>} detail
 * @returns {Diagnosis}
 */
function localNetworkBlock(space, permission, detail) {
  return {
    code: "blocked_local_network",
    ...(permission === "prompt" ? NOT_ASKED : DENIED)[space],
    detail: { ...detail, permission },
    delivered: "no",
    retryable: false,
  };
}

/**
 * @param {string} origin
 * @param {import("../types/types.d.ts").Delivered} delivered
 * @param {{probe: ProbeAnswer, online: boolean}} detail
 * @returns {Diagnosis}
 */
function unreachableDiagnosis(origin, delivered, detail) {
  const words = detail.online
    ? said(
        "nothing_answers",
        "Nothing answers at {origin}. Check that the API is running and that the address and port are right.",
        { origin },
      )
    : said("offline", "This computer is offline, so {origin} cannot be reached.", { origin });
  return { code: "network", ...words, detail, delivered, retryable: true };
}
