// @ts-check
/** Client of the bridge's routes about the life of calls: limits, breakers, deadlines, and what became of calls. */

/** @typedef {import("./bridge_api.js").BridgeApi} BridgeApi */
/** @typedef {import("../types/api_types.js").CallSetting} CallSetting */
/** @typedef {import("../types/api_types.js").LimitList} LimitList */

export class ControlsApi {
  /** @param {Pick<BridgeApi, "sendRequest">} bridge */
  constructor(bridge) {
    this.bridge = bridge;
  }

  /** @returns {Promise<LimitList>} */
  readLimits() {
    return this.bridge.sendRequest("GET", "/api/limits");
  }

  /** All or none. @param {Record<string, unknown>} limits by name; null takes a change back @returns {Promise<LimitList>} */
  changeLimits(limits) {
    return this.bridge.sendRequest("PATCH", "/api/limits", { limits });
  }

  /** @returns {Promise<import("../types/api_types.js").Breaker[]>} */
  async listBreakers() {
    return (await this.bridge.sendRequest("GET", "/api/breakers")).breakers;
  }

  /** @param {Pick<import("../types/api_types.js").Breaker, "kind" | "server_id" | "operation" | "host">} breaker @returns {Promise<void>} */
  closeBreaker({ kind, server_id, operation, host }) {
    const choices = { tool: { server_id, operation }, host: { host }, request: { kind }, store: { kind } };
    return this.bridge.sendRequest("POST", "/api/breakers/reset", choices[kind]);
  }

  /** @returns {Promise<CallSetting[]>} */
  async listSettings() {
    return (await this.bridge.sendRequest("GET", "/api/call-settings")).settings;
  }

  /** In place of what was set there. @param {object} setting as typed @returns {Promise<CallSetting[]>} all, as they are now */
  async saveSetting(setting) {
    return (await this.bridge.sendRequest("PUT", "/api/call-settings", setting)).settings;
  }

  /** Calls that have not ended, newest first. @returns {Promise<import("../types/api_types.js").StoredCall[]>} */
  async listOpenCalls() {
    return (await this.bridge.sendRequest("GET", "/api/calls?open=true")).calls;
  }

  /** What ended calls of the last hours add up to. @param {number} hours @returns {Promise<import("../types/api_types.js").CallStatistics>} */
  readStatistics(hours) {
    return this.bridge.sendRequest("GET", `/api/calls/statistics?hours=${hours}`);
  }

  /** When each server was called last, in seconds since 1970. @returns {Promise<Record<string, number>>} */
  async readLatestCalls() {
    return (await this.bridge.sendRequest("GET", "/api/calls/latest")).servers;
  }

  /** Wherever it is. @param {string} callId @returns {Promise<void>} */
  cancelCall(callId) {
    return this.bridge.sendRequest("POST", `/api/calls/${encodeURIComponent(callId)}/cancel`);
  }

  /** Calls, newest first. @param {number | null} before where to read on @returns {Promise<import("../types/api_types.js").StoredCallPage>} */
  listCalls(before) {
    return this.bridge.sendRequest("GET", before === null ? "/api/calls" : `/api/calls?before=${before}`);
  }

  /** Calls that fit, newest first. @param {URLSearchParams} query as `GET /api/calls` has it @returns {Promise<import("../types/api_types.js").StoredCallPage>} */
  searchCalls(query) {
    return this.bridge.sendRequest("GET", query.size === 0 ? "/api/calls" : `/api/calls?${query}`);
  }

  /** Calls that were refused before a page was asked. @returns {Promise<import("../types/api_types.js").RefusedCallList>} */
  listRefused() {
    return this.bridge.sendRequest("GET", "/api/calls/refused");
  }

  /** Who asked for calls, as `asked_by` says it. @returns {Promise<string[]>} */
  async listAskers() {
    return (await this.bridge.sendRequest("GET", "/api/calls/askers")).askers;
  }

  /** The last calls of one operation, newest first. @param {string} server @param {string} operation its key @returns {Promise<import("../types/api_types.js").StoredCallPage>} */
  listCallsOf(server, operation) {
    return this.bridge.sendRequest("GET", `/api/calls?${new URLSearchParams({ server, operation })}`);
  }

  /** @param {string} callId @returns {Promise<import("../types/api_types.js").StoredCall>} */
  readCall(callId) {
    return this.bridge.sendRequest("GET", `/api/calls/${encodeURIComponent(callId)}`);
  }

  /** The same call as a new one; settles when that has ended. @param {string} callId @returns {Promise<import("../types/api_types.js").CallReport>} */
  callAgain(callId) {
    return this.bridge.sendRequest("POST", `/api/calls/${encodeURIComponent(callId)}/retry`);
  }
}
