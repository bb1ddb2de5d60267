// @ts-check
/** Client of the bridge's routes about the life of calls: limits, breakers, deadlines, and what became of calls. */

/** @typedef {import("./bridge_api.js").BridgeApi} BridgeApi */
/** @typedef {import("../types/api_types.js").CallSetting} CallSetting */
/** @typedef {import("../types/api_types.js").LimitList} LimitList */

export class ControlsApi {
  /** @param {Pick<BridgeApi, "request">} bridge */
  constructor(bridge) {
    this.bridge = bridge;
  }

  /** @returns {Promise<LimitList>} */
  limits() {
    return this.bridge.request("GET", "/api/limits");
  }

  /** All or none. @param {Record<string, unknown>} limits by name; null takes a change back @returns {Promise<LimitList>} */
  changeLimits(limits) {
    return this.bridge.request("PATCH", "/api/limits", { limits });
  }

  /** @returns {Promise<import("../types/api_types.js").Breaker[]>} */
  async breakers() {
    return (await this.bridge.request("GET", "/api/breakers")).breakers;
  }

  /** @param {Pick<import("../types/api_types.js").Breaker, "kind" | "server_id" | "operation" | "host">} breaker @returns {Promise<void>} */
  closeBreaker({ kind, server_id, operation, host }) {
    const choices = { tool: { server_id, operation }, host: { host }, request: { kind }, store: { kind } };
    return this.bridge.request("POST", "/api/breakers/reset", choices[kind]);
  }

  /** @returns {Promise<CallSetting[]>} */
  async settings() {
    return (await this.bridge.request("GET", "/api/call-settings")).settings;
  }

  /** In place of what was set there. @param {object} setting as typed @returns {Promise<CallSetting[]>} all, as they are now */
  async saveSetting(setting) {
    return (await this.bridge.request("PUT", "/api/call-settings", setting)).settings;
  }

  /** Calls that have not ended, newest first. @returns {Promise<import("../types/api_types.js").KeptCall[]>} */
  async openCalls() {
    return (await this.bridge.request("GET", "/api/calls?open=true")).calls;
  }

  /** Wherever it is. @param {string} callId @returns {Promise<void>} */
  cancelCall(callId) {
    return this.bridge.request("POST", `/api/calls/${encodeURIComponent(callId)}/cancel`);
  }

  /** Calls, newest first. @param {number | null} before where to read on @returns {Promise<import("../types/api_types.js").KeptCalls>} */
  calls(before) {
    return this.bridge.request("GET", before === null ? "/api/calls" : `/api/calls?before=${before}`);
  }

  /** @param {string} callId @returns {Promise<import("../types/api_types.js").KeptCall>} */
  call(callId) {
    return this.bridge.request("GET", `/api/calls/${encodeURIComponent(callId)}`);
  }

  /** The same call as a new one; settles when that has ended. @param {string} callId @returns {Promise<import("../types/api_types.js").CallReport>} */
  callAgain(callId) {
    return this.bridge.request("POST", `/api/calls/${encodeURIComponent(callId)}/retry`);
  }
}
