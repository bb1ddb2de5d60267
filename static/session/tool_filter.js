// @ts-check
/** Which tools of the list a reader wants to see. Pure. */

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {"" | "shown" | "not_shown" | "pinned" | "not_accepted"} Standing  "" = any */
/** @typedef {{query: string, server: string, tag: string, standing: Standing}} ToolFilter  "" = any */

/**
 * @param {Tool[]} tools
 * @param {ToolFilter} filter every word of the query must occur in name, path or description
 * @param {Set<string>} pinned names
 * @returns {Tool[]}
 */
export function findTools(tools, { query, server, tag, standing }, pinned) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (server !== "" && tool.server_id !== server) return false;
    if (tag !== "" && !tool.tags.includes(tag)) return false;
    return hasStanding(tool, standing, pinned) && words.every((word) => textOf(tool).includes(word));
  });
}

/** @param {Tool} tool */
function textOf({ name, method, path, description }) {
  return `${name} ${method} ${path} ${description}`.toLowerCase();
}

/** @param {Tool} tool @param {Standing} standing @param {Set<string>} pinned */
function hasStanding(tool, standing, pinned) {
  if (standing === "shown") return tool.advertised;
  if (standing === "not_shown") return !tool.advertised;
  if (standing === "pinned") return pinned.has(tool.name);
  return standing === "" || !tool.accepted;
}

/** The tags of some tools, in alphabetical order. @param {Tool[]} tools */
export function tagsOf(tools) {
  return [...new Set(tools.flatMap(({ tags }) => tags))].sort((one, other) => one.localeCompare(other));
}
