// @ts-check
/**
 * The probe frame: the only place of the page that may reach an origin nobody has accepted yet, because its CSP names
 * that one origin. Fetches a document or finds out why the origin cannot be used; talks only to its own page.
 */
import { said } from "./base/said.js";
import { addressSpace, forbiddenTarget, readsAddressSpaces, targetAddressSpace } from "./executor/address_space.js";
import { diagnoseFailure, watchPolicy } from "./executor/diagnosis.js";
import { networkPermission } from "./executor/network_permission.js";
import { placeSecrets } from "./request/credential_placement.js";
import { readDocument, readText, tryDocument } from "./documents/document_answer.js";
import { findDocuments, SEARCH_MS } from "./documents/document_search.js";
import { adaptProblem, looksLikeMcp, readTools } from "./mcp/source.js";

/** @typedef {import("./types/probe_wire.js").ProbeRequest} ProbeRequest */
/** @typedef {import("./types/probe_wire.js").ProbeError} ProbeError */
/** @typedef {import("./types/probe_wire.js").CheckReport} CheckReport */

/** Long enough to answer the browser's permission question; a document takes seconds at most. */
const PATIENCE_MS = 60_000;

const wasBlockedByPolicy = watchPolicy(document);

/** A failure with a code, as the page shows it. */
class ProbeFailure extends Error {
  /** @param {ProbeError} error */
  constructor(error) {
    super(error.message);
    this.error = error;
  }
}

/**
 * @param {string} url
 * @param {HeadersInit} [headers]
 * @param {RequestCache} [cache]
 * @param {RequestInit} [more]
 */
function sendRequest(url, headers = {}, cache = "no-store", more = {}) {
  const space = targetAddressSpace(location.href, url);
  return fetch(url, {
    headers,
    cache,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...more,
    ...(space ? { targetAddressSpace: space } : {}),
  });
}

/** What the page could read before, as it says. @type {import("./types/types.d.ts").PastRead[]} */
let reads = [];

/** @param {string} url @param {boolean} mayRepeat it was a plain GET @returns {Promise<ProbeError>} */
async function explainFailure(url, mayRepeat = true) {
  const { code, message, sentence, values, detail } = await diagnoseFailure(
    { url, mayRepeat, origins: [new URL(url).origin] },
    {
      pageUrl: location.href,
      fetch: (input, init) => fetch(input, init),
      permission: networkPermission,
      isLocalExempt: readsAddressSpaces(),
      wasBlockedByPolicy,
      isOnline: () => navigator.onLine,
      listReads: async () => reads,
    },
  );
  return { code: detail.likely_cause === "error_answer" ? "error_answer" : code, message, sentence, values };
}

/** @param {string} url @returns {Promise<Response | null>} null: the browser does not say more than that it failed */
async function tryAddress(url) {
  try {
    return await sendRequest(url, {}, "no-cache"); // asked each time, and not sent again if its ETag is the same
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "TimeoutError")
      throw new ProbeFailure({
        code: "timeout",
        ...said("silent_address", "The address did not answer within a minute."),
      });
    return null;
  }
}

/**
 * A document, or the tools of an MCP server: which of them it is, the address tells.
 * @param {string} url
 * @param {import("./types/types.js").CredentialSet} credentials
 * @param {(bytes: number) => void} onBytes
 */
async function fetchDocument(url, credentials, onBytes) {
  const response = await tryAddress(url);
  const failure = response === null ? null : await readDocument(url, response, onBytes);
  if (failure && "text" in failure) return failure;
  const listed = await readTools(
    url,
    (body, headers) => sendMessage(url, body, headers, credentials),
    response !== null,
  );
  if (listed && "text" in listed) return listed;
  const problem = listed ?? failure ?? adaptProblem(await explainFailure(url), url);
  throw new ProbeFailure({ ...problem, page: failure?.page });
}

/** @param {string[]} places of one origin */
async function searchPlaces(places) {
  const signal = AbortSignal.timeout(SEARCH_MS);
  return findDocuments(places, (place) => tryDocument(place, sendRequest(place, {}, "no-cache", { signal })));
}

/**
 * One message to an MCP server. Its redirect is not followed: the browser would send the message on.
 * @param {string} url
 * @param {string} body
 * @param {[string, string][]} headers
 * @param {import("./types/types.js").CredentialSet} credentials
 */
async function sendMessage(url, body, headers, credentials) {
  const target = new URL(url);
  const sent = [...headers];
  for (const { in: place, name, text } of placeSecrets({ security: [] }, credentials)) {
    if (place === "header") sent.push([name, text]);
    if (place === "query") target.searchParams.append(name, text);
  }
  const response = await sendRequest(target.href, sent, "no-store", { method: "POST", body, redirect: "manual" });
  if (response.type === "opaqueredirect") throw new ProbeFailure(MOVED);
  return response;
}

const MOVED = {
  code: "redirect_refused",
  ...said("mcp_moved", "The address answers with a redirect. Enter the final address of the MCP server."),
};

/**
 * A plain request, then one with a header that needs a preflight: most calls of tools need one too.
 * @param {string} url
 * @returns {Promise<CheckReport>}
 */
async function checkAddress(url) {
  const space = addressSpace(new URL(url).hostname);
  const began = performance.now();
  /** @param {ProbeError} verdict @param {number | null} http_status */
  const report = async (verdict, http_status) => ({
    ...verdict,
    url,
    http_status,
    duration_ms: performance.now() - began,
    address_space: space,
    permission: await networkPermission(space),
  });
  const response = await tryAddress(url);
  const mcp = looksLikeMcp(url) ? await checkServer(url, response !== null) : null;
  if (mcp) return report(mcp, response?.status ?? null);
  if (response === null) return report(adaptProblem(await explainFailure(url), url), null);
  const accepts = await sendRequest(url, { "content-type": "application/json" }).then(
    () => true,
    () => false,
  );
  return report(accepts ? REACHABLE : PREFLIGHT, response.status);
}

/** @param {string} url @param {boolean} didAnswer @returns {Promise<ProbeError | null>} null: no MCP server is seen there */
async function checkServer(url, didAnswer) {
  const found = await readTools(url, (body, headers) => sendMessage(url, body, headers, {}), didAnswer);
  return found && "text" in found ? MCP_REACHABLE : found;
}

const REACHABLE = { code: "ok", ...said("reachable", "This page reaches the API and may read its answers.") };
const MCP_REACHABLE = { code: "ok", ...said("mcp_reachable", "This page reaches the MCP server and lists its tools.") };
const PREFLIGHT = {
  code: "preflight",
  ...said(
    "preflight",
    "This page reaches the API, but the API refuses requests with a JSON body or a key (CORS preflight). Its CORS settings must also allow the headers content-type and authorization and the methods its operations use.",
  ),
};

/** The largest answer of an authorization server. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * One request of a login. Its answer goes to the page alone, which stores it in this browser.
 * @param {string} url
 * @param {import("./types/probe_wire.js").SentRequest} request
 */
async function sendLogin(url, { method, headers, body }) {
  const response = await sendRequest(url, headers, "no-store", { method, body, redirect: "manual" }).catch(async () => {
    throw new ProbeFailure(await explainFailure(url, false));
  });
  const answer = await readText(response, ANSWER_BYTES);
  if (answer === null) throw new ProbeFailure({ code: "too_large", message: "The answer is larger than 1 MiB." });
  return { status: response.status, headers: [...response.headers], body: answer };
}

/** @param {ProbeRequest} asked @returns {Promise<object>} */
async function answerMessage({ type, id, url, credentials, request, places, reads: known }) {
  reads = known;
  const forbidden = forbiddenTarget(url, type === "probe:send" ? location.origin : "");
  if (forbidden) throw new ProbeFailure({ code: "blocked_by_policy", message: forbidden });
  if (type === "probe:send" && request) return { answer: await sendLogin(url, request) };
  if (type === "probe:find") return { found: await searchPlaces(places ?? []) };
  if (type === "probe:document")
    return fetchDocument(url, credentials, (bytes) => postToParent({ type: "probe:bytes", id, bytes }));
  return { report: await checkAddress(url) };
}

/** @param {MessageEvent<ProbeRequest>} event */
async function receiveMessage({ origin, source, data }) {
  if (origin !== location.origin || source !== window.parent) return;
  if (!["probe:document", "probe:check", "probe:send", "probe:find"].includes(data?.type)) return;
  const { type, id } = data;
  try {
    postToParent({ type, id, ok: true, ...(await answerMessage(data)) });
  } catch (failure) {
    const error =
      failure instanceof ProbeFailure
        ? failure.error
        : { code: "network", message: failure instanceof Error ? failure.message : String(failure) };
    postToParent({ type, id, ok: false, error });
  }
}

/** @param {object} message */
function postToParent(message) {
  window.parent.postMessage(message, location.origin);
}

window.addEventListener("message", (event) => void receiveMessage(event));
postToParent({ type: "probe:ready" });
