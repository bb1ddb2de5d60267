// @ts-check
/** Requests as the page itself sends them: by `fetch`, without cookies, where the API allows it. */

import { redirectRefused } from "./call_failure.js";
import { fetchInit } from "./fetch_init.js";

/** @typedef {import("../types/types.d.ts").Transport} Transport */

/** @implements {Transport} */
export class PageTransport {
  /** @param {{fetch: typeof globalThis.fetch, pageUrl: string}} environment */
  constructor(environment) {
    this.environment = environment;
  }

  async open() {
    return "";
  }

  /**
   * @param {import("../types/types.d.ts").BuiltRequest} request
   * @param {Pick<import("../types/types.d.ts").Passage, "origin" | "mayFollow" | "signal">} passage
   * @returns {Promise<Response>}
   * @throws {import("./call_failure.js").CallFailure | TypeError | DOMException} as `fetch` does, or at a redirect that must not be followed
   */
  async send(request, { origin, mayFollow, signal }) {
    const { fetch, pageUrl } = this.environment;
    const response = await fetch(request.url, fetchInit(request, { mayFollow, signal, pageUrl }));
    if (response.type === "opaqueredirect") throw redirectRefused(request.url);
    if (response.redirected && new URL(response.url).origin !== origin)
      throw redirectRefused(request.url, response.url);
    return response;
  }
}
