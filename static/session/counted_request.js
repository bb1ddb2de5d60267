// @ts-check
/** A request like that of `fetch` that tells how much of its body is sent, which `fetch` cannot. */

/** @typedef {import("../types/document_types.js").Amount} Amount */

/**
 * @param {string} url
 * @param {RequestInit & {headers?: Record<string, string>}} init
 * @param {(amount: Amount) => void} onAmount
 * @returns {Promise<Response>}
 * @throws {TypeError} no answer; as the signal says
 */
export function sendCounted(url, { method = "GET", headers = {}, body, signal }, onAmount) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.responseType = "arraybuffer";
    request.upload.onprogress = ({ loaded, total }) => onAmount({ bytes: loaded, total });
    request.onload = () => resolve(new Response(request.response, { status: request.status }));
    request.onerror = () => reject(new TypeError());
    signal?.addEventListener("abort", () => {
      request.abort();
      reject(signal.reason);
    });
    request.send(/** @type {XMLHttpRequestBodyInit | null} */ (body ?? null));
  });
}
