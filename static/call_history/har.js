// @ts-check
/** Calls of the list as an HTTP Archive (HAR 1.2), as developer tools read it. Secrets are never in it. Pure but for saving. */
import { t } from "../base/language.js";
import { saveText } from "../ui/response_view.js";

/** @typedef {import("./call_list.js").ListedCall} ListedCall */
/** @typedef {import("../types/types.js").CallEntry} CallEntry */
/** @typedef {import("../types/types.js").LoggedRequest} LoggedRequest */
/** @typedef {import("../types/types.js").LoggedResponse} LoggedResponse */
/** @typedef {import("../types/api_types.js").StoredCall} StoredCall */
/** @typedef {{name: string, value: string}} Pair */
/** @typedef {(serverId: string) => string} OriginOf */

/** Value of what may be a credential. The page keeps these values out of its log already; nothing here relies on it. */
const REDACTED = "[redacted]";
const CREDENTIAL =
  /^(proxy-)?authorization$|^(set-)?cookie2?$|(^|[-_])(token|secret|password|passwd|apikey|key|auth|session|credential|signature|sig)s?($|[-_])/i;

const NO_SIZE = -1;

/**
 * @param {ListedCall[]} calls newest first
 * @param {OriginOf} originOf address of a server, as far as it is known
 * @param {boolean} hasMore older calls were not read
 */
export function harOf(calls, originOf, hasMore) {
  const entries = calls.flatMap((call) => {
    if (call.live?.request) return [liveEntry(call.live, call.live.request)];
    return call.stored ? [storedEntry(call.stored, originOf)] : [];
  });
  const left = calls.length - entries.length;
  const comments = [
    t`Requests and answers are complete only of calls that this browser made and still remembers.`,
    t`Values of credentials are replaced.`,
    left > 0 ? t`${left} calls that sent no request are left out, such as refused ones.` : "",
    hasMore ? t`Older calls were not read.` : "",
  ];
  const creator = { name: "Direct Tool Bridge", version: "1" };
  return { log: { version: "1.2", creator, entries, comment: comments.filter(Boolean).join(" ") } };
}

/** @param {CallEntry} entry @param {LoggedRequest} request */
function liveEntry(entry, request) {
  const { response, duration_ms, started_at, error } = entry;
  const comments = [t`Tool ${entry.tool}.`, error ? t`Failed: ${error.code}.` : "", bodyComment(request)];
  return {
    startedDateTime: new Date(started_at).toISOString(),
    time: duration_ms ?? 0,
    request: { ...requestOf(request.method, request.url), ...sentParts(request) },
    response: response ? responseOf(response) : emptyResponse(""),
    cache: {},
    timings: timingsOf(duration_ms),
    comment: comments.filter(Boolean).join(" "),
  };
}

/** @param {StoredCall} call @param {OriginOf} originOf */
function storedEntry(call, originOf) {
  const [method = "GET", path = "/"] = call.operation.split(" ", 2);
  const ms = call.ended_at === null ? null : 1000 * (call.ended_at - call.opened_at);
  const status = call.http_status ?? 0;
  const missing = t`The bridge stores neither request nor answer: the address is that of the operation, headers and bodies are missing.`;
  return {
    startedDateTime: new Date(1000 * call.opened_at).toISOString(),
    time: ms ?? 0,
    request: requestOf(method, originOf(call.server) + path),
    response: { ...emptyResponse(call.content_type ?? ""), status },
    cache: {},
    timings: timingsOf(ms),
    comment: [t`Tool ${call.tool}.`, call.error ? t`Failed: ${call.error.code}.` : "", missing]
      .filter(Boolean)
      .join(" "),
  };
}

/** The log does not measure these phases: all of it counts as waiting. @param {number | null} ms */
const timingsOf = (ms) => ({ send: 0, wait: ms ?? 0, receive: 0 });

/** @param {string} method @param {string} url */
function requestOf(method, url) {
  const address = withoutCredentials(url);
  const query = URL.canParse(address) ? [...new URL(address).searchParams] : [];
  return {
    method,
    url: address,
    httpVersion: "",
    cookies: [],
    headers: /** @type {Pair[]} */ ([]),
    queryString: query.map(([name, value]) => ({ name, value })),
    headersSize: NO_SIZE,
    bodySize: NO_SIZE,
  };
}

/** @param {LoggedRequest} request */
function sentParts({ headers, body, body_bytes }) {
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const data = body === null ? {} : { postData: { mimeType: type, text: body } };
  return { headers: headers.map(([name, value]) => pairOf(name, value)), bodySize: body_bytes, ...data };
}

/** @param {LoggedRequest} request */
function bodyComment({ body, body_bytes }) {
  if (body_bytes === 0) return "";
  if (body === null) return t`The body that was sent is a file, and is missing.`;
  return new TextEncoder().encode(body).length < body_bytes
    ? t`Only the beginning of the body that was sent is here.`
    : "";
}

/** @param {LoggedResponse} response */
function responseOf({ http_status, status_text, headers, bytes, content_type, preview, kind, total_bytes }) {
  const size = total_bytes ?? bytes;
  const isWhole = kind === "text" && new TextEncoder().encode(preview).length >= size;
  const comment =
    isWhole || size === 0
      ? {}
      : { comment: kind === "text" ? t`Only the beginning is here.` : t`A file; its content is missing.` };
  return {
    ...emptyResponse(content_type),
    status: http_status,
    statusText: status_text,
    headers: Object.entries(headers).map(([name, value]) => pairOf(name, value)),
    content: { size, mimeType: content_type, ...(kind === "text" ? { text: preview } : {}), ...comment },
    bodySize: bytes,
  };
}

/** @param {string} mimeType */
const emptyResponse = (mimeType) => ({
  status: 0,
  statusText: "",
  httpVersion: "",
  cookies: [],
  headers: /** @type {Pair[]} */ ([]),
  content: { size: 0, mimeType },
  redirectURL: "",
  headersSize: NO_SIZE,
  bodySize: NO_SIZE,
});

/** @param {string} name @param {string} value @returns {Pair} */
const pairOf = (name, value) => ({ name, value: CREDENTIAL.test(name) ? REDACTED : value });

/** Without user and password, and without the values of parameters with the name of a credential. @param {string} text */
function withoutCredentials(text) {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = url.password = "";
  for (const name of new Set(url.searchParams.keys())) if (CREDENTIAL.test(name)) url.searchParams.set(name, REDACTED);
  return url.href;
}

/**
 * @param {ListedCall[]} calls newest first
 * @param {Pick<import("../session/inventory.js").Inventory, "servers">} inventory
 * @param {boolean} hasMore older calls were not read
 */
export function saveHar(calls, { servers }, hasMore) {
  const bases = new Map(servers.map(({ id, base_url }) => [id, base_url?.replace(/\/+$/, "") ?? ""]));
  const har = harOf(calls, (id) => bases.get(id) || `https://${encodeURIComponent(id)}.invalid`, hasMore);
  saveText(JSON.stringify(har, null, 2), "calls.har");
}
