// @ts-check
/** What the list of tools shows, line by line: servers, their groups and tools, or what a search found. Pure. */
import { groupTools } from "../session/tool_filter.js";

/** @typedef {import("../types/api_types.js").Tool} Tool */
/** @typedef {import("../session/tool_filter.js").ToolGroup} ToolGroup */
/**
 * @typedef {{kind: "server", id: string, tools: Tool[]}
 *   | {kind: "group", id: string, title: string, count: number, isOpen: boolean}
 *   | {kind: "tool", tool: Tool}} Line
 */

/** With more tools, groups begin folded. */
const MANY_TOOLS = 150;

/**
 * @param {Tool[]} tools found, the best first where they are ranked
 * @param {{isRanked: boolean, isFiltered: boolean, chosen: string, folded: Map<string, boolean>}} how  `isFiltered`: groups are open; `folded`: by the user
 * @returns {Line[]}
 */
export function linesOf(tools, { isRanked, isFiltered, chosen, folded }) {
  if (isRanked) return tools.map(toolLine);
  return groupTools(tools).flatMap(({ server_id, groups }) => {
    const all = groups.flatMap((group) => group.tools);
    const isOpen = (/** @type {string} */ id, /** @type {ToolGroup} */ group) =>
      isFiltered || (folded.get(id) ?? (tools.length <= MANY_TOOLS || group.tools.some(({ name }) => name === chosen)));
    const inside =
      groups.length === 1
        ? groups[0].tools.map(toolLine)
        : groups.flatMap((group) => groupLines(server_id, group, isOpen));
    return [/** @type {Line} */ ({ kind: "server", id: server_id, tools: all }), ...inside];
  });
}

/** @param {string} serverId @param {ToolGroup} group @param {(id: string, group: ToolGroup) => boolean} isOpen @returns {Line[]} */
function groupLines(serverId, group, isOpen) {
  const { title, tools } = group;
  const id = JSON.stringify([serverId, title]);
  const shown = isOpen(id, group);
  return [{ kind: "group", id, title, count: tools.length, isOpen: shown }, ...(shown ? tools.map(toolLine) : [])];
}

/** @param {Tool} tool @returns {Line} */
const toolLine = (tool) => ({ kind: "tool", tool });
