// @ts-check
/** The routes of the bridge's HTTP API, with typed answers. Every failure is an ApiError with the bridge's own code. */
import { BridgeRequests } from "./bridge_requests.js";

/** @typedef {import("../types/api_types.js").Server} Server */
/** @typedef {import("../types/document_types.js").Following} Following */

/** @param {string} segment */
const encodeSegment = (segment) => encodeURIComponent(segment);

export class BridgeApi extends BridgeRequests {
  /** @returns {Promise<import("../types/api_types.js").ServerList>} */
  listServers() {
    return this.getJson("/api/servers");
  }

  /** @param {string} id @returns {Promise<import("../types/api_types.js").ServerDetail>} */
  readServer(id) {
    return this.getJson(`/api/servers/${encodeSegment(id)}`);
  }

  /** @param {string} id @returns {Promise<import("../types/api_types.js").ServerPlans>} */
  readPlans(id) {
    return this.getJson(`/api/servers/${encodeSegment(id)}/plans`);
  }

  /** @param {import("../types/api_types.js").NewServer} offered @param {Following} [following] @returns {Promise<Server>} */
  addServer(offered, following) {
    return this.sendDocument("POST", "/api/servers", offered, following);
  }

  /** @param {import("../types/api_types.js").DocumentFiles} files @param {Following} [following] @returns {Promise<import("../types/api_types.js").BundledDocument>} */
  bundleDocument(files, following) {
    return this.sendDocument("POST", "/api/documents/bundle", files, following);
  }

  /** @param {string} id @param {import("../types/api_types.js").ServerChanges} changes @returns {Promise<Server>} */
  changeServer(id, changes) {
    return this.sendRequest("PATCH", `/api/servers/${encodeSegment(id)}`, changes);
  }

  /** @param {string} id @param {{text: string, source_url?: string}} document @returns {Promise<Server>} */
  replaceDocument(id, document) {
    return this.sendDocument("PUT", `/api/servers/${encodeSegment(id)}/document`, document);
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
    return this.getJson("/api/tools?schemas=no");
  }

  /** With the schemas of their arguments. @returns {Promise<{tools: import("../types/api_types.js").FullTool[]}>} */
  listFullTools() {
    return this.getJson("/api/tools");
  }

  /** @param {string} name @param {"" | "?responses=yes"} [query] with what the document says about its responses @returns {Promise<import("../types/api_types.js").FullTool>} */
  readTool(name, query = "") {
    return this.getJson(`/api/tools/${encodeSegment(name)}${query}`);
  }

  /** @returns {Promise<import("../types/api_types.js").Selection>} */
  readSelection() {
    return this.getJson("/api/selection");
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
    return this.getJson(`/api/calls/${encodeSegment(callId)}/answer?${query}`);
  }

  /** @returns {Promise<import("../types/api_types.js").ApiKey[]>} */
  async listKeys() {
    const answer = await this.getJson("/api/keys");
    return Array.isArray(answer) ? answer : answer.keys;
  }

  /** @param {import("../types/api_types.js").WantedKey} wanted @returns {Promise<import("../types/api_types.js").NewApiKey>} */
  createKey(wanted) {
    return this.sendRequest("POST", "/api/keys", wanted);
  }

  /** The models that programs may ask, and what they take. @returns {Promise<import("../types/chat_types.js").ListedModel[]>} */
  async listModelFacts() {
    return (await this.getJson("/v1/models")).data;
  }

  /** @returns {Promise<import("../types/api_types.js").DeviceList>} */
  listDevices() {
    return this.getJson("/api/devices");
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
    return this.getJson("/api/approval");
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
    return this.getJson("/api/connect");
  }

  /** @returns {Promise<import("../types/api_types.js").StoredItemsSummary>} */
  readStoredItems() {
    return this.getJson("/api/stored-data");
  }

  /** All that is stored of the user's answers, as lines of JSON. @returns {Promise<Blob>} */
  exportStoredItems() {
    return this.readBlob("/api/stored-data/export?everything=true");
  }

  /** @returns {Promise<{items: number}>} */
  deleteStoredItems() {
    return this.sendRequest("DELETE", "/api/stored-data");
  }
}
