// @ts-check
/** The operations of a document by tag, those without one by path; and those of them that are looked for. Pure. */
import { t } from "../base/language.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/** @typedef {{id: string, title: string, tools: ServerTool[]}} OperationGroup */
/** @typedef {"" | "changed" | "chosen" | "not_chosen" | "not_accepted" | "unsafe"} Show  "" = all */
/** @typedef {{kind: "group", group: OperationGroup, isOpen: boolean} | {kind: "tool", tool: ServerTool}} Line */

const CHANGED = t`Changed since you accepted`;
const UNTAGGED = t`Without a tag`;

/**
 * In the order of the document; within a group by path. Changed operations come first, in a group of their own.
 * @param {ServerTool[]} tools
 * @param {(tool: ServerTool) => boolean} isChanged
 * @returns {OperationGroup[]} without empty ones
 */
export function groupOperations(tools, isChanged) {
  const titleOf = titlesOf(tools.filter(({ tags }) => !tags[0]));
  /** @type {Map<string, OperationGroup>} */
  const groups = new Map();
  for (const tool of tools) {
    const [id, title] = isChanged(tool)
      ? ["changed", CHANGED]
      : tool.tags[0]
        ? [`tag ${tool.tags[0]}`, tool.tags[0]]
        : [`path ${titleOf(tool)}`, titleOf(tool)];
    const group = groups.get(id);
    if (group) group.tools.push(tool);
    else groups.set(id, { id, title, tools: [tool] });
  }
  for (const group of groups.values()) group.tools.sort((one, other) => compareText(one.path, other.path));
  return [...groups.values()].sort((one, other) => Number(other.id === "changed") - Number(one.id === "changed"));
}

/**
 * What operations without a tag stand under: how their paths begin, unless nearly each path begins with something else.
 * @param {ServerTool[]} untagged
 * @returns {(tool: ServerTool) => string}
 */
function titlesOf(untagged) {
  const depth = sharedDepth(untagged);
  const titles = new Map(untagged.map((tool) => [tool, pathBegin(tool, depth)]));
  const isTelling = new Set(titles.values()).size <= untagged.length / 2;
  return (tool) => (isTelling ? (titles.get(tool) ?? "") : UNTAGGED);
}

/** Ten times as quick as `localeCompare`, and paths are not words. @param {string} one @param {string} other */
const compareText = (one, other) => (one < other ? -1 : Number(one > other));

/** How many segments all paths begin with: they would tell no group from another. @param {ServerTool[]} tools */
function sharedDepth(tools) {
  const [first = [], ...others] = tools.map(segmentsOf);
  let depth = first.length;
  for (const segments of others) {
    const differs = first.findIndex((segment, index) => segment !== segments[index]);
    depth = Math.min(depth, differs === -1 ? first.length : differs);
  }
  return depth;
}

/** @param {ServerTool} tool */
const segmentsOf = ({ path }) => path.split("/").filter(Boolean);

/** @param {ServerTool} tool @param {number} depth */
function pathBegin(tool, depth) {
  return `/${segmentsOf(tool)
    .slice(0, depth + 1)
    .join("/")}`;
}

/** What is searched of each, in lower case, from its first search on. @type {WeakMap<ServerTool, string>} */
const texts = new WeakMap();

/** @param {ServerTool} tool */
function textOf(tool) {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const text = [tool.name, tool.method, tool.path, tool.summary, ...tool.tags].join(" ").toLowerCase();
  texts.set(tool, text);
  return text;
}

/**
 * @param {OperationGroup[]} groups
 * @param {string} query each of its words occurs in name, method, path, summary or tags
 * @param {(tool: ServerTool) => boolean} isShown
 * @returns {OperationGroup[]} with what was found of each, without empty ones
 */
export function findOperations(groups, query, isShown) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (/** @type {ServerTool} */ tool) => words.every((word) => textOf(tool).includes(word)) && isShown(tool);
  return groups.map((group) => ({ ...group, tools: group.tools.filter(fits) })).filter(({ tools }) => tools.length > 0);
}

/**
 * What is listed, line by line; a single group needs no heading.
 * @param {OperationGroup[]} groups
 * @param {(group: OperationGroup) => boolean} isOpen
 * @returns {Line[]}
 */
export function linesOf(groups, isOpen) {
  if (groups.length === 1 && groups[0].id !== "changed") return groups[0].tools.map(toolLine);
  return groups.flatMap((group) => {
    const [head, shown] = [/** @type {Line} */ ({ kind: "group", group, isOpen: isOpen(group) }), isOpen(group)];
    return shown ? [head, ...group.tools.map(toolLine)] : [head];
  });
}

/** @param {ServerTool} tool @returns {Line} */
const toolLine = (tool) => ({ kind: "tool", tool });
