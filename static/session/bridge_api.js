// @ts-check
/**
 * Client of the bridge's HTTP API. Receives a source of session tokens, gives typed answers, knows nothing of the DOM.
 * Every failure is an ApiError with the bridge's own code; a 401 is tried once more with a new token.
 */
import { bridgePath } from "../base/bridge_paths.js";
import { verbatim } from "../base/language.js";
import { ApiError, readError, UNREACHABLE } from "./api_error.js";
import { parseJson, stringifyJson } from "../base/json_text.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {{sessionToken: () => Promise<string>, renewToken: () => Promise<string>}} TokenSource */
/** @typedef {{method: string, headers: Record<string, string>, body: string | undefined, signal: AbortSignal | undefined, keepalive?: boolean}} Prepared */

/** @param {string} segment */
const encodeSegment = (segment) => encodeURIComponent(segment);

export class BridgeApi {
  /**
   * @param {TokenSource} tokens
   * @param {typeof fetch} [send] for tests; the browser's own `fetch` otherwise
   */
  constructor(tokens, send = (input, init) => fetch(input, init)) {
    this.tokens = tokens;
    this.send = send;
  }

  /** @returns {Promise<import("../types/api_types.js").ServerList>} */
  listServers() {
    return this.#get("/api/servers");
  }

  /** @param {string} id @returns {Promise<import("../types/api_types.js").ServerDetail>} */
  readServer(id) {
    return this.#get(`/api/servers/${encodeSegment(id)}`);
  }

  /** @param {string} id @returns {Promise<import("../types/api_types.js").ServerPlans>} */
  readPlans(id) {
    return this.#get(`/api/servers/${encodeSegment(id)}/plans`);
  }

  /** @param {import("../types/api_types.js").NewServer} offered @returns {Promise<Server>} */
  addServer(offered) {
    return this.sendRequest("POST", "/api/servers", offered);
  }

  /** @param {import("../types/api_types.js").DocumentFiles} files @returns {Promise<import("../types/api_types.js").BundledDocument>} */
  bundleDocument(files) {
    return this.sendRequest("POST", "/api/documents/bundle", files);
  }

  /** @param {string} id @param {import("../types/api_types.js").ServerChanges} changes @returns {Promise<Server>} */
  changeServer(id, changes) {
    return this.sendRequest("PATCH", `/api/servers/${encodeSegment(id)}`, changes);
  }

  /** @param {string} id @param {{text: string, source_url?: string}} document @returns {Promise<Server>} */
  replaceDocument(id, document) {
    return this.sendRequest("PUT", `/api/servers/${encodeSegment(id)}/document`, document);
  }

  /**
   * @param {string} id
   * @param {Record<string, string>} operations key to digest; replaces what was accepted
   * @returns {Promise<Server>}
   */
  acceptOperations(id, operations) {
    return this.sendRequest("PUT", `/api/servers/${encodeSegment(id)}/acceptance`, { operations });
  }

  /** @param {string} id @returns {Promise<void>} */
  removeServer(id) {
    return this.sendRequest("DELETE", `/api/servers/${encodeSegment(id)}`);
  }

  /** Without the schemas of their arguments. @returns {Promise<import("../types/api_types.js").ToolList>} */
  listTools() {
    return this.#get("/api/tools?schemas=no");
  }

  /** With the schemas of their arguments. @returns {Promise<{tools: import("../types/api_types.js").FullTool[]}>} */
  listFullTools() {
    return this.#get("/api/tools");
  }

  /** @param {string} name @param {"" | "?responses=yes"} [query] with what the document says about its responses @returns {Promise<import("../types/api_types.js").FullTool>} */
  readTool(name, query = "") {
    return this.#get(`/api/tools/${encodeSegment(name)}${query}`);
  }

  /** @returns {Promise<import("../types/api_types.js").Selection>} */
  readSelection() {
    return this.#get("/api/selection");
  }

  /** @param {import("../types/api_types.js").SelectionChoice} choice @returns {Promise<import("../types/api_types.js").Selection>} */
  replaceSelection(choice) {
    return this.sendRequest("PUT", "/api/selection", choice);
  }

  /**
   * Runs a tool. Aborting gives the call up: the bridge cancels what its caller no longer waits for.
   * @param {string} tool
   * @param {string} argumentsText JSON text, so that no digit is lost on the way
   * @param {AbortSignal} [signal]
   * @param {string} [select] a query of the answer
   * @returns {Promise<import("../types/api_types.js").CallReport>}
   */
  callTool(tool, argumentsText, signal, select) {
    return this.sendRequest("POST", "/api/calls", { tool, arguments_text: argumentsText, select }, signal);
  }

  /**
   * The same for an agent of the browser: it is not the user who asks.
   * @param {string} tool
   * @param {string} argumentsText
   * @param {AbortSignal} [signal]
   * @returns {Promise<import("../types/api_types.js").CallReport>}
   */
  callForAgent(tool, argumentsText, signal) {
    return this.sendRequest("POST", "/api/calls", { tool, arguments_text: argumentsText, for_agent: true }, signal);
  }

  /**
   * Where the complete answer of a call can be read, for a day.
   * @param {string} callId
   * @param {string} contentType
   * @param {string} disposition of the API's answer; may name the file
   * @returns {Promise<import("../types/api_types.js").AnswerFile>}
   */
  findAnswer(callId, contentType, disposition) {
    const query = new URLSearchParams({ content_type: contentType, disposition });
    return this.#get(`/api/calls/${encodeSegment(callId)}/answer?${query}`);
  }

  /** @returns {Promise<import("../types/api_types.js").ApiKey[]>} */
  async listKeys() {
    const answer = await this.#get("/api/keys");
    return Array.isArray(answer) ? answer : answer.keys;
  }

  /** @param {import("../types/api_types.js").WantedKey} wanted @returns {Promise<import("../types/api_types.js").NewApiKey>} */
  createKey(wanted) {
    return this.sendRequest("POST", "/api/keys", wanted);
  }

  /** The models that programs may ask, and what they take. @returns {Promise<import("../types/chat_types.js").ListedModel[]>} */
  async listModelFacts() {
    return (await this.#get("/v1/models")).data;
  }

  /** @returns {Promise<import("../types/api_types.js").DeviceList>} */
  listDevices() {
    return this.#get("/api/devices");
  }

  /** @param {string} id @param {string} name @returns {Promise<void>} */
  renameDevice(id, name) {
    return this.sendRequest("PATCH", `/api/devices/${encodeSegment(id)}`, { name });
  }

  /** @param {string} serverId @param {string | null} device_id null: automatic @returns {Promise<void>} */
  chooseDevice(serverId, device_id) {
    return this.sendRequest("PUT", `/api/servers/${encodeSegment(serverId)}/device`, { device_id });
  }

  /** @param {string} code @returns {Promise<import("../types/api_types.js").WaitingBrowser>} */
  findPairing(code) {
    return this.sendRequest("POST", "/api/pairings/code", { code });
  }

  /** @param {string} code @param {boolean} accept @returns {Promise<void>} */
  decidePairing(code, accept) {
    return this.sendRequest("POST", "/api/pairings/decision", { code, accept });
  }

  /** @returns {Promise<import("../types/api_types.js").ApprovalFacts>} */
  readApproval() {
    return this.#get("/api/approval");
  }

  /** @param {import("../types/types.js").ApprovalMode | null} mode null: as the bridge was started @returns {Promise<import("../types/api_types.js").ApprovalFacts>} */
  chooseApproval(mode) {
    return this.sendRequest("PUT", "/api/approval", { mode });
  }

  /** @param {string} id @returns {Promise<import("../types/api_types.js").ApprovalFacts>} */
  revokeGrant(id) {
    return this.sendRequest("DELETE", `/api/approval/grants/${encodeSegment(id)}`);
  }

  /** @returns {Promise<import("../types/api_types.js").ApprovalFacts>} */
  revokeGrants() {
    return this.sendRequest("DELETE", "/api/approval/grants");
  }

  /** @returns {Promise<import("../types/api_types.js").ConnectFacts>} */
  readConnectFacts() {
    return this.#get("/api/connect");
  }

  /** @returns {Promise<import("../types/api_types.js").StoredItemsSummary>} */
  readStoredItems() {
    return this.#get("/api/stored-data");
  }

  /** All that is stored of the user's answers, as lines of JSON. @returns {Promise<Blob>} */
  exportStoredItems() {
    return this.readBlob("/api/stored-data/export?everything=true");
  }

  /** What an address of the bridge's API holds. @param {string} path @returns {Promise<Blob>} */
  async readBlob(path) {
    return (await this.#answer("GET", path, undefined, undefined)).blob();
  }

  /** @returns {Promise<{items: number}>} */
  deleteStoredItems() {
    return this.sendRequest("DELETE", "/api/stored-data");
  }

  /** @param {string} path @returns {Promise<any>} */
  #get(path) {
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
    const answer = await (await this.#answer(method, path, body, signal)).text();
    return answer === "" ? undefined : parseJson(answer);
  }

  /** Sent even if the page is left now; its answer is not read. @param {string} method @param {string} path */
  async sendLast(method, path) {
    const token = await this.tokens.sessionToken();
    await this.#attempt(path, { method, headers: {}, body: undefined, signal: undefined, keepalive: true }, token);
  }

  /**
   * An answer that is streamed until it is aborted, as pieces of text.
   * @param {string} path
   * @param {Record<string, string>} headers
   * @param {AbortSignal} signal
   * @returns {Promise<ReadableStream<string>>}
   */
  async openStream(path, headers, signal) {
    const { body } = await this.#answer("GET", path, undefined, signal, headers);
    if (body === null) throw new ApiError(UNREACHABLE);
    return body.pipeThrough(new TextDecoderStream());
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @param {AbortSignal | undefined} signal
   * @param {Record<string, string>} [extra] headers
   */
  async #answer(method, path, body, signal, extra = {}) {
    const text = body === undefined ? undefined : stringifyJson(/** @type {JsonValue} */ (body));
    /** @type {Record<string, string>} */
    const headers = text === undefined ? extra : { ...extra, "content-type": "application/json" };
    const prepared = { method, headers, body: text, signal };
    let response = await this.#attempt(path, prepared, await this.tokens.sessionToken());
    if (response.status === 401) response = await this.#attempt(path, prepared, await this.tokens.renewToken());
    if (!response.ok) throw readError(await response.text(), response.status);
    return response;
  }

  /**
   * @param {string} path
   * @param {Prepared} request
   * @param {string} token
   */
  async #attempt(path, request, token) {
    try {
      return await this.send(bridgePath(path), {
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
