// @ts-check
/**
 * Requests to the bridge, with the session's token. Receives a source of session tokens, gives parsed answers, knows nothing of the DOM.
 * Every failure is an ApiError with the bridge's own code; a 401 is tried once more with a new token.
 */
import { bridgePath } from "../base/bridge_paths.js";
import { verbatim } from "../base/language.js";
import { ApiError, readError, UNREACHABLE } from "./api_error.js";
import { parseJson, stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {{sessionToken: () => Promise<string>, renewToken: () => Promise<string>}} TokenSource */
/** @typedef {import("../types/document_types.js").Following} Following */
/** @typedef {Pick<import("./document_desk.js").DocumentDesk, "askWorker">} Desk */
/** @typedef {typeof fetch} Send */
/** @typedef {{method: string, headers: Record<string, string>, body: string | Blob | undefined, signal: AbortSignal | undefined, keepalive?: boolean}} Prepared */

export class BridgeRequests {
  /**
   * @param {TokenSource} tokens
   * @param {Send} [send] for tests; the browser's own `fetch` otherwise
   */
  constructor(tokens, send = (input, init) => fetch(input, init)) {
    this.tokens = tokens;
    this.send = send;
    /** Writes and reads what holds whole documents; loaded with the first of them. @type {Promise<Desk> | null} */
    this.desk = null;
  }

  /** @type {Desk["askWorker"]} */
  async askWorker(...question) {
    this.desk ??= import("./document_desk.js").then(({ DocumentDesk }) => new DocumentDesk());
    return (await this.desk).askWorker(...question);
  }

  /** What an address of the bridge's API holds. @param {string} path @returns {Promise<Blob>} */
  async readBlob(path) {
    return (await this.#answer("GET", path, {})).blob();
  }

  /** @param {string} path @returns {Promise<any>} */
  getJson(path) {
    return this.sendRequest("GET", path);
  }

  /**
   * Any route, for the clients of its parts.
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async sendRequest(method, path, body, signal) {
    const answer = await (await this.#answer(method, path, { body: textOf(body), signal })).text();
    return answer === "" ? undefined : parseJson(answer);
  }

  /**
   * What holds a document is written and read by the document worker, and its sending can be followed. Aborting it adds nothing:
   * the bridge stops reading what its caller no longer waits for.
   * @param {string} method
   * @param {string} path
   * @param {object} members
   * @param {Following} [following]
   * @returns {Promise<any>}
   */
  async sendDocument(method, path, members, { signal, onAmount } = {}) {
    const body = await this.askWorker("write", members, { signal });
    /** @type {Send} */
    const counted = async (url, init) =>
      (await import("./counted_request.js")).sendCounted(String(url), /** @type {any} */ (init), onAmount ?? Object);
    const answer = await this.#answer(method, path, { body, signal }, onAmount && counted);
    const content = await answer.arrayBuffer();
    return this.askWorker("read", content, { signal, transfer: [content] });
  }

  /**
   * An answer that is streamed until it is aborted, as pieces of text.
   * @param {string} path
   * @param {Record<string, string>} headers
   * @param {AbortSignal} signal
   * @returns {Promise<ReadableStream<string>>}
   */
  async openStream(path, headers, signal) {
    const { body } = await this.#answer("GET", path, { signal, headers });
    if (body === null) throw new ApiError(UNREACHABLE);
    return body.pipeThrough(new TextDecoderStream());
  }

  /** Sent even if the page is left now; its answer is not read. @param {string} method @param {string} path */
  async sendLast(method, path) {
    const request = { method, headers: {}, body: undefined, signal: undefined, keepalive: true };
    await this.#attempt(path, request, await this.tokens.sessionToken(), this.send);
  }

  /** @param {string} method @param {string} path @param {Partial<Prepared>} request @param {Send} [send] */
  async #answer(method, path, { headers = {}, body, signal }, send = this.send) {
    const written = body === undefined ? headers : { ...headers, "content-type": "application/json" };
    const prepared = { method, headers: written, body, signal };
    let response = await this.#attempt(path, prepared, await this.tokens.sessionToken(), send);
    if (response.status === 401) response = await this.#attempt(path, prepared, await this.tokens.renewToken(), send);
    if (!response.ok) throw readError(await response.text(), response.status);
    return response;
  }

  /**
   * @param {string} path
   * @param {Prepared} request
   * @param {string} token
   * @param {Send} send
   */
  async #attempt(path, request, token, send) {
    try {
      return await send(bridgePath(path), {
        ...request,
        headers: { ...request.headers, authorization: verbatim(`Bearer ${token}`) },
        cache: "no-store",
      });
    } catch (failure) {
      if (request.signal?.aborted) throw failure;
      throw new ApiError(UNREACHABLE);
    }
  }
}

/** @param {object | undefined} body */
const textOf = (body) => (body === undefined ? undefined : stringifyJson(/** @type {JsonValue} */ (body)));
