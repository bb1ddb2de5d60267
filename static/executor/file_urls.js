// @ts-check
/**
 * Reads the files that arguments name by URL, before a request is built: stored answers of the bridge (its signed /files/
 * addresses) and files of origins the user has accepted. Nothing else is fetched, no redirect followed, no cookie sent.
 */

import { dictionaryOf } from "../base/dictionary.js";
import { forbiddenTarget } from "./address_space.js";
import { readBytes } from "./answer_reader.js";
import { CallFailure, messageOf } from "./call_failure.js";
import { fetchInit } from "./fetch_init.js";

/** @typedef {import("../types/types.d.ts").RequestPlan} RequestPlan */
/** @typedef {import("../types/types.d.ts").JsonObject} JsonObject */
/**
 * @typedef {object} FileSources
 * @property {typeof globalThis.fetch} fetch
 * @property {string} pageUrl
 * @property {() => string[]} acceptedOrigins
 * @property {number} cap    bytes, for all files of a call together
 * @property {AbortSignal} signal
 */

const STORED_FILE = /^\/files\/[\w.~-]+$/;
const IS_DATA = /^data:/i;

/**
 * @param {RequestPlan} plan
 * @param {JsonObject} args
 * @param {FileSources} sources
 * @returns {Promise<JsonObject>} the arguments with bytes in place of URLs
 * @throws {CallFailure} nothing was sent to the API
 */
export async function withFiles({ body }, args, sources) {
  if (!body || !["binary", "multipart"].includes(body.kind ?? "")) return args;
  const left = { cap: sources.cap };
  /** @param {Record<string, unknown>} holder @param {string} key */
  const replace = async (holder, key) => {
    if (Object.hasOwn(holder, key)) holder[key] = await resolveValue(holder[key], sources, left);
  };
  /** @type {Record<string, any>} */
  const known = dictionaryOf(args);
  const whole = body.argument ?? "";
  if (body.kind === "binary") await replace(known, whole);
  for (const { argument = "", file } of body.properties ?? []) if (file) await replace(known, argument);
  const files = (body.fields ?? []).filter(({ file }) => file);
  if (files.length && typeof known[whole] === "object" && known[whole] !== null) {
    known[whole] = { ...known[whole] };
    for (const { name } of files) await replace(known[whole], name);
  }
  return { ...known };
}

/**
 * @param {unknown} value a file, or a list of files
 * @param {FileSources} sources
 * @param {{cap: number}} left
 * @returns {Promise<unknown>}
 */
async function resolveValue(value, sources, left) {
  if (Array.isArray(value)) {
    const files = [];
    for (const item of value) files.push(await resolveValue(item, sources, left));
    return files;
  }
  const { url, ...file } = /** @type {Record<string, unknown>} */ (typeof value === "object" ? (value ?? {}) : {});
  if (typeof url !== "string" || IS_DATA.test(url)) return value;
  const { bytes, filename, content_type } = await readFileUrl(addressOf(url, sources), sources, left);
  return { bytes, filename: file.filename ?? filename, content_type: file.content_type ?? content_type };
}

/**
 * A stored file is read from this page's own bridge, by whatever name the caller reached it.
 * @param {string} url
 * @param {FileSources} sources
 */
function addressOf(url, { pageUrl, acceptedOrigins }) {
  const target = URL.canParse(url, pageUrl) ? new URL(url, pageUrl) : null;
  const own = new URL(pageUrl).origin;
  if (target && acceptedOrigins().includes(target.origin) && !forbiddenTarget(target.href, own)) return target;
  if (target && STORED_FILE.test(target.pathname)) return new URL(target.pathname, own);
  throw new CallFailure(
    "not_accepted",
    `The file at "${url.slice(0, 200)}" cannot be read: only files on the bridge and on accepted servers can. Give its content as base64 or text.`,
  );
}

/**
 * @param {URL} address
 * @param {FileSources} sources
 * @param {{cap: number}} left
 */
async function readFileUrl(address, { fetch, pageUrl, signal }, left) {
  /** @type {import("../types/types.d.ts").BuiltRequest} */
  const request = { method: "GET", url: address.href, headers: [], body: null, unsendable: [] };
  /** @param {unknown} error @returns {never} */
  const failed = (error) => {
    throw signal.aborted ? signal.reason : unreadableFile(address, messageOf(error));
  };
  const response = await fetch(address.href, fetchInit(request, { mayFollow: false, signal, pageUrl })).catch(failed);
  if (!response.ok) throw unreadableFile(address, response.type === "opaqueredirect" ? "it redirects" : `status ${response.status}`);
  const bytes = await readBytes(response, left.cap).catch(failed);
  if (bytes === null) throw new CallFailure("too_large", `The files of this call are larger than ${left.cap} bytes.`);
  left.cap -= bytes.byteLength;
  return { bytes, filename: fileName(address), content_type: response.headers.get("content-type") ?? undefined };
}

/** @param {URL} address @returns {string | undefined} a stored file has none */
function fileName({ pathname }) {
  if (STORED_FILE.test(pathname)) return undefined;
  try {
    return decodeURIComponent(pathname.split("/").at(-1) ?? "") || undefined;
  } catch {
    return undefined;
  }
}

/** @param {URL} address @param {string} why */
function unreadableFile({ origin, pathname }, why) {
  return new CallFailure("network", `The file ${origin}${pathname.slice(0, 100)} cannot be read: ${why}.`, { retryable: true });
}
