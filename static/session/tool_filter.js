// @ts-check
/** Which tools of the list a reader wants to see. Pure. */
import { rankFound } from "../base/ranked_search.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {"" | "shown" | "not_shown" | "pinned" | "not_accepted"} Standing  "" = any */
/** @typedef {{query: string, server: string, tag: string, standing: Standing}} ToolFilter  "" = any */

/**
 * @param {Tool[]} tools
 * @param {ToolFilter} filter every word of the query must occur in name, path or description
 * @param {Set<string>} pinned names
 * @returns {Tool[]} the best first where there is a query, otherwise as they come
 */
export function findTools(tools, { query, server, tag, standing }, pinned) {
  const fitting = tools.filter((tool) => {
    if (server !== "" && tool.server_id !== server) return false;
    return (tag === "" || tool.tags.includes(tag)) && hasStanding(tool, standing, pinned);
  });
  return rankFound(fitting, query, searchedOf);
}

/** The searched text of each, from its first search on. @type {WeakMap<Tool, import("../base/ranked_search.js").Searched>} */
const searched = new WeakMap();

/** @param {Tool} tool */
function searchedOf(tool) {
  const { name, method, path, description } = tool;
  const found = searched.get(tool) ?? {
    label: name,
    search: `${name} ${method} ${path} ${description}`.toLowerCase(),
  };
  searched.set(tool, found);
  return found;
}

/** @param {Tool} tool @param {Standing} standing @param {Set<string>} pinned */
function hasStanding(tool, standing, pinned) {
  if (standing === "shown") return tool.advertised;
  if (standing === "not_shown") return !tool.advertised;
  if (standing === "pinned") return pinned.has(tool.name);
  return standing === "" || !tool.accepted;
}

/** @typedef {{title: string, tools: Tool[]}} ToolGroup  of one tag; "" for tools without one */

/**
 * By server, and by the first tag of each tool. Order as they come.
 * @param {Tool[]} tools
 * @returns {{server_id: string, groups: ToolGroup[]}[]}
 */
export function groupTools(tools) {
  /** @type {Map<string, Map<string, Tool[]>>} */
  const servers = new Map();
  for (const tool of tools) {
    const groups = servers.get(tool.server_id) ?? new Map();
    servers.set(tool.server_id, groups);
    const title = tool.tags[0] ?? "";
    groups
      .set(title, groups.get(title) ?? [])
      .get(title)
      .push(tool);
  }
  return [...servers].map(([server_id, groups]) => ({
    server_id,
    groups: [...groups].map(([title, listed]) => ({ title, tools: listed })),
  }));
}

/** The tags of some tools, in alphabetical order. @param {Tool[]} tools */
export function tagsOf(tools) {
  return [...new Set(tools.flatMap(({ tags }) => tags))].sort((one, other) => one.localeCompare(other));
}
