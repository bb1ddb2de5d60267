// @ts-check
/**
 * What people change of a tool, read from the actions of an overlay and written back: one action for the operation, one for each argument.
 * Whatever else an action says stays. Pure.
 */
import { stringifyJson } from "../base/json_text.js";
import { isObject } from "./page_overlay.js";

/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/edit_types.js").Action} Action */
/** @typedef {import("../types/edit_types.js").Clash} Clash */
/** @typedef {import("../types/edit_types.js").Members} Members */
/** @typedef {import("../types/edit_types.js").ToolEdits} ToolEdits */
/** @typedef {Pick<import("../types/edit_types.js").EditableTool, "target"> & {arguments: {target: string, default: {target: string, path: string[]}}[]}} Places */
/** @typedef {{target: string, paths: Map<string, string[]>}} Node  `paths`: where each member stands in an update */

const EXTENSION = "x-tool-bridge";
const OF_TOOL = ["name", "description", "hidden", "order", "approval", "result_select", "examples"];
const OF_ARGUMENT = ["name", "description", "hidden", "fixed"];

/** @param {string[]} members @returns {[string, string[]][]} */
const extended = (members) => members.map((member) => [member, [EXTENSION, member]]);

/** @param {Places} places @returns {Node[]} those that an overlay can name */
function nodesOf({ target, arguments: args }) {
  const tool = { target, paths: new Map(extended(OF_TOOL)) };
  const others = args.flatMap((each) => argumentNodes(each));
  return [tool, ...others].filter((node) => node.target !== "");
}

/** A parameter behind a reference has its default there. @param {Places["arguments"][number]} place @returns {Node[]} */
function argumentNodes({ target, default: { target: elsewhere, path } }) {
  const members = extended(OF_ARGUMENT);
  if (elsewhere === target) return [{ target, paths: new Map([...members, ["default", path]]) }];
  return [
    { target, paths: new Map(members) },
    { target: elsewhere, paths: new Map([["default", path]]) },
  ];
}

/** @param {JsonValue | undefined} value @param {string[]} path @returns {JsonValue | undefined} */
const valueAt = (value, path) =>
  path.reduce((/** @type {JsonValue | undefined} */ at, name) => (isObject(at) ? at[name] : undefined), value);

/** @param {JsonObject} object @param {string[]} path @param {JsonValue | undefined} value undefined: without it @returns {JsonObject} a copy */
function withValue(object, [name, ...rest], value) {
  const inner = isObject(object[name]) ? object[name] : {};
  const fresh = rest.length === 0 ? value : withValue(inner, rest, value);
  const isGone = fresh === undefined || (rest.length > 0 && isObject(fresh) && Object.keys(fresh).length === 0);
  if (!isGone) return { ...object, [name]: fresh };
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/** @param {Action} action @param {string} target */
const isUpdateOf = (action, target) => action.target === target && isObject(action.update);

/**
 * @param {Action[]} actions
 * @param {Places} places
 * @returns {ToolEdits} of several actions of a target the last word counts
 */
export function readEdits(actions, places) {
  return new Map(nodesOf(places).map(({ target, paths }) => [target, readMembers(actions, target, paths)]));
}

/** @param {Action[]} actions @param {string} target @param {Map<string, string[]>} paths @returns {Members} */
function readMembers(actions, target, paths) {
  const updates = actions.filter((action) => isUpdateOf(action, target)).map(({ update }) => update);
  const found = [...paths].map(([member, path]) => [
    member,
    updates.map((update) => valueAt(update, path)).findLast((value) => value !== undefined),
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/**
 * @param {Action[]} actions
 * @param {Places} places
 * @param {ToolEdits} edits
 * @returns {Action[]} those of other tools as they were, and in their order
 */
export function writeEdits(actions, places, edits) {
  return nodesOf(places).reduce((written, node) => writeMembers(written, node, edits.get(node.target) ?? {}), actions);
}

/** @param {Action[]} actions @param {Node} node @param {Members} members @returns {Action[]} */
function writeMembers(actions, { target, paths }, members) {
  const at = actions.findLastIndex((action) => isUpdateOf(action, target));
  const all = at >= 0 || Object.keys(members).length === 0 ? actions : [...actions, { target, update: {} }];
  const last = at >= 0 ? at : all.length - 1;
  const written = all.map((action, index) => {
    if (!isUpdateOf(action, target)) return action;
    const update = [...paths].reduce(
      (object, [member, path]) => withValue(object, path, index === last ? members[member] : undefined),
      /** @type {JsonObject} */ (action.update),
    );
    return { ...action, update };
  });
  return written.filter(
    (action) => !isUpdateOf(action, target) || Object.keys(/** @type {JsonObject} */ (action.update)).length > 0,
  );
}

/** @param {JsonValue | undefined} one @param {JsonValue | undefined} other */
const isSame = (one, other) =>
  one === other || (one !== undefined && other !== undefined && stringifyJson(one) === stringifyJson(other));

/**
 * What two tabs have made of the same edits. Where both changed a member in different ways, `mine` stays, beside the clash.
 * @param {ToolEdits} base as both have seen it
 * @param {ToolEdits} mine
 * @param {ToolEdits} theirs saved meanwhile
 * @returns {{edits: ToolEdits, clashes: Clash[]}}
 */
export function mergeEdits(base, mine, theirs) {
  /** @type {Clash[]} */
  const clashes = [];
  const targets = new Set([...mine.keys(), ...theirs.keys()]);
  const merge = (/** @type {string} */ target) => {
    const [before, here, there] = [base, mine, theirs].map((edits) => edits.get(target) ?? {});
    const members = new Set([...Object.keys(before), ...Object.keys(here), ...Object.keys(there)]);
    const merged = [...members].map((member) => {
      const isMine = !isSame(here[member], before[member]);
      const isTheirs = !isSame(there[member], before[member]);
      if (isMine && isTheirs && !isSame(here[member], there[member]))
        clashes.push({ target, member, theirs: there[member] });
      return [member, isMine ? here[member] : there[member]];
    });
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  };
  const edits = new Map([...targets].map((target) => [target, merge(target)]));
  return { edits, clashes };
}
