// @ts-check
/** Loads what calls MCP servers when the first call of one comes: most browsers never need it. */

import * as failures from "./call_failure.js";

/** @typedef {import("./mcp_calls.js").McpCalls} McpCalls */

const OLD_PAGE = "This bridge page is older than its bridge. Reload the page.";

/**
 * @param {import("../types/types.d.ts").Limits} limits
 * @param {(serverId: string) => void} sourceChanged
 * @returns {() => Promise<McpCalls>} one and the same; throws a `CallFailure`, and tries again the next time
 */
export function mcpLoader(limits, sourceChanged) {
  /** @type {Promise<McpCalls> | null} */
  let loaded = null;
  return () => {
    loaded ??= import("./mcp_calls.js").then(
      ({ McpCalls }) => new McpCalls(limits, failures, sourceChanged),
      () => {
        loaded = null;
        throw new failures.CallFailure("no_browser", OLD_PAGE);
      },
    );
    return loaded;
  };
}
