// @ts-check
/** About how many tokens the definition of each tool takes of a request, as the bridge counts them. */

import { dictionaryOf } from "../base/dictionary.js";

/** @typedef {import("../types/api_types.js").ToolTokens} ToolTokens */

/** @param {Pick<import("./bridge_api.js").BridgeApi, "sendRequest">} api @returns {Promise<ToolTokens>} */
export async function loadTokens(api) {
  const { tools, revision } = await api.sendRequest("GET", "/api/tokens");
  return { tools: dictionaryOf(tools), revision };
}

/** @param {{name: string}[]} tools @param {Record<string, number>} tokens by name @returns {number | null} null: of none it is known */
export function sumTokens(tools, tokens) {
  const known = tools.map(({ name }) => tokens[name]).filter((count) => count !== undefined);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}
