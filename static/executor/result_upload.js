// @ts-check
/** Hands large and binary answers to the bridge by HTTP, with the call's one-time token. */

import { bridgePath } from "../base/bridge_paths.js";
import { addRoute } from "../base/bridge_route.js";
import { essenceOf } from "../base/content_type.js";

/** @typedef {import("../types/types.d.ts").ToolCall} ToolCall */
/** @typedef {{fetch: typeof globalThis.fetch, route: () => string}} Way to the bridge; the route may change between tries */
/** @typedef {Exclude<import("../types/types.d.ts").ReadBody, {kind: "too_large"}>} TakenBody */
/** @typedef {import("../types/types.d.ts").Upload} Upload */

/** Waits between tries: a restarting bridge is back within seconds. */
const WAITS_MS = [300, 1000, 3000];

/** @param {number} milliseconds @param {AbortSignal} signal */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Tries four times while the bridge cannot be reached or answers 5xx.
 * @param {Way} way
 * @param {Pick<ToolCall, "call_id" | "result_token">} call
 * @param {Uint8Array<ArrayBuffer> | string} content
 * @param {string} contentType
 * @param {AbortSignal} signal
 * @throws {Error} with a sentence, or the signal's reason
 */
export async function uploadResult(way, call, content, contentType, signal) {
  for (let attempt = 0; ; attempt += 1) {
    const status = await putResult(way, call, content, contentType, signal);
    if (status >= 200 && status < 300) return;
    if ((status > 0 && status < 500) || attempt >= WAITS_MS.length)
      throw new Error(status ? `it answered with status ${status}.` : "it does not answer.");
    await pause(WAITS_MS[attempt], signal);
  }
}

/**
 * @param {Way} way
 * @param {Pick<ToolCall, "call_id" | "result_token">} call
 * @param {Uint8Array<ArrayBuffer> | string} content
 * @param {string} contentType
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the status; 0 when there was none
 */
async function putResult(way, call, content, contentType, signal) {
  try {
    const path = `/api/calls/${encodeURIComponent(call.call_id)}/result`;
    const answer = await way.fetch(addRoute(bridgePath(path), way.route()), {
      method: "PUT",
      headers: {
        "content-type": contentType,
        "x-result-kind": typeof content === "string" ? "text" : "file",
        "x-result-token": call.result_token,
      },
      body: content,
      cache: "no-store",
      signal,
    });
    return answer.status;
  } catch (error) {
    if (signal.aborted) throw error;
    return 0;
  }
}

/**
 * @param {TakenBody} body
 * @param {string} contentType
 * @param {number} inlineBytes  longer texts are uploaded
 * @returns {Upload | null} null: it goes inside the message of the outcome
 */
export function uploadOf(body, contentType, inlineBytes) {
  if (body.kind === "empty") return null;
  if (body.kind === "file") return { content: body.content, content_type: contentType || "application/octet-stream" };
  const { byteLength } = new TextEncoder().encode(body.text);
  if (byteLength <= inlineBytes) return null;
  return { content: body.text, content_type: `${essenceOf(contentType) || "text/plain"}; charset=utf-8` };
}

/** How the body reaches the bridge. @param {TakenBody} body @param {Upload | null} upload @returns {import("../types/types.d.ts").OutcomeBody} */
export function deliveryOf(body, upload) {
  if (upload) return { kind: "uploaded" };
  return body.kind === "text" ? { kind: "text", text: body.text } : { kind: "empty" };
}
