// @ts-check
/** What is handed to `fetch` besides the URL: no cache, no cookies, no referrer, no unwanted redirect. Pure. */

import { targetAddressSpace } from "./address_space.js";

/** @typedef {import("../types/types.d.ts").BuiltRequest} BuiltRequest */

/** A header's text as UTF-8, one character per byte, which is how fetch takes bytes. @param {string} text */
export function asHeaderBytes(text) {
  if (!/[^\u0020-\u007E\t]/.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/**
 * A redirect is handed back unfollowed ("manual") unless `mayFollow`: browsers keep custom headers across origins, and
 * on 307 the body too (measured). "manual" rather than "error", because it tells a redirect from a network failure.
 * @param {BuiltRequest} request
 * @param {{mayFollow: boolean, signal: AbortSignal, pageUrl: string}} options
 * @returns {RequestInit}
 */
export function fetchInit(request, { mayFollow, signal, pageUrl }) {
  const space = targetAddressSpace(pageUrl, request.url);
  return {
    method: request.method,
    headers: request.headers.map(([name, value]) => [name, asHeaderBytes(value)]),
    body: request.body,
    cache: "no-store",
    credentials: "omit",
    redirect: mayFollow ? "follow" : "manual",
    referrerPolicy: "no-referrer",
    signal,
    ...(space ? { targetAddressSpace: space } : {}),
  };
}
