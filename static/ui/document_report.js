// @ts-check
/** What `tool-bridge check` says of a document, as groups of entries that can be searched. Pure. */

import { dictionaryOf } from "../base/dictionary.js";
import { t, counted, verbatim } from "../base/language.js";
import { formatCount } from "./format_count.js";

/** @typedef {import("../types/api_types.js").ServerDetail} ServerDetail */
/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */
/**
 * @typedef {object} Entry
 * @property {string} name    of the operation; "" for what concerns the whole document
 * @property {string} [tool]  name of the tool it became
 * @property {string[]} texts
 */
/** @typedef {{id: string, title: string, about: string, entries: Entry[]}} Group */

/** @type {Record<string, string>} */
const VALIDITY = dictionaryOf({
  pending: t`checking…`,
  valid: t`valid`,
  invalid: t`flaws found`,
  failed: t`not checked`,
});

/** @param {ServerDetail} server @returns {string} how openapi-core judges the document */
export const validityOf = ({ validation }) => VALIDITY[validation.state] ?? validation.state;

/** What the tools come from, with its version. @param {Pick<ServerDetail, "kind" | "openapi">} server */
export const sourceOf = ({ kind, openapi }) => `${kind === "mcp" ? "MCP" : verbatim("OpenAPI")} ${openapi}`;

/** One line: what became of the document. @param {ServerDetail} server */
export function summaryOf(server) {
  const tools = formatCount(server.tools.length, "tool");
  const warned = server.tools.filter(({ warnings }) => warnings.length > 0).length;
  return [
    warned > 0 ? t`${tools}, ${warned} with warnings` : tools,
    server.skipped.length > 0 ? leftOut(server.skipped.length) : t`nothing left out`,
    `${sourceOf(server)}: ${validityOf(server)}`,
  ].join(" · ");
}

/** @param {number} count */
const leftOut = (count) => counted(count, "{0} operation left out", "{0} operations left out");

/** @param {ServerDetail} server @returns {Group[]} those with entries */
export function reportGroups(server) {
  const { skipped, tools, warnings, validation } = server;
  const flaws = validation.state === "invalid" || validation.state === "failed" ? validation.problems : [];
  const groups = [skippedGroup(skipped), ...toolGroups(tools), remarkGroup(warnings), flawGroup(flaws, server.kind)];
  return groups.filter(({ entries }) => entries.length > 0);
}

/** @param {ServerDetail["skipped"]} skipped @returns {Group} */
const skippedGroup = (skipped) => ({
  id: "skipped",
  title: leftOut(skipped.length),
  about: t`These did not become tools.`,
  entries: skipped.map(({ method, path, reason }) => ({ name: `${method} ${path}`, texts: [reason] })),
});

/** @param {ServerTool[]} tools */
function toolGroups(tools) {
  return [
    toolGroup(
      "unsendable",
      (count) =>
        counted(
          count,
          "{0} tool with parts that a browser cannot send",
          "{0} tools with parts that a browser cannot send",
        ),
      t`Requests are sent without these parts.`,
      tools.filter(({ unsendable }) => unsendable.length > 0),
      unsendableTexts,
    ),
    toolGroup(
      "warnings",
      (count) => counted(count, "{0} tool with warnings", "{0} tools with warnings"),
      t`They work, but not everything is as the document says.`,
      tools.filter(({ warnings }) => warnings.length > 0),
      warningTexts,
    ),
  ];
}

/** @param {string[]} warnings */
function remarkGroup(warnings) {
  const title = counted(warnings.length, "{0} remark about the document", "{0} remarks about the document");
  return documentGroup("remarks", title, "", warnings);
}

/** @param {string[]} flaws @param {ServerDetail["kind"]} kind */
function flawGroup(flaws, kind) {
  const judge = kind === "mcp" ? verbatim("JSON Schema") : "openapi-core";
  const title = counted(flaws.length, "{0} flaw found by {1}", "{0} flaws found by {1}", judge);
  return documentGroup("flaws", title, t`Most are harmless: many real documents have some.`, flaws);
}

/**
 * @param {string} id
 * @param {(count: number) => string} titleOf
 * @param {string} about
 * @param {ServerTool[]} tools
 * @param {(tool: ServerTool) => string[]} textsOf
 * @returns {Group}
 */
function toolGroup(id, titleOf, about, tools, textsOf) {
  const entries = tools
    .map((tool) => ({ name: `${tool.method} ${tool.path}`, tool: tool.name, texts: textsOf(tool) }))
    .filter(({ texts }) => texts.length > 0);
  return { id, title: titleOf(entries.length), about, entries };
}

/** @param {string} id @param {string} title @param {string} about @param {string[]} texts @returns {Group} */
function documentGroup(id, title, about, texts) {
  return { id, title, about, entries: texts.map((text) => ({ name: "", texts: [text] })) };
}

/** Warnings except those that the group above shows already. @param {ServerTool} tool */
function warningTexts({ warnings, unsendable }) {
  return warnings.filter(
    (text) => !unsendable.some(({ name, reason }) => text.includes(`'${name}'`) && text.includes(reason)),
  );
}

/** @param {ServerTool} tool */
function unsendableTexts({ unsendable }) {
  return unsendable.map((part) => `${part.in} ${part.name}${part.required ? t` (required)` : ""}: ${part.reason}`);
}

/**
 * The entries that have every word, in names or texts; groups without any are left out.
 * @param {Group[]} groups
 * @param {string} words
 */
export function filterGroups(groups, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  /** @param {Entry} entry */
  const fits = ({ name, tool, texts }) => {
    const text = [name, tool ?? "", ...texts].join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(fits) }))
    .filter(({ entries }) => entries.length > 0);
}

/** The report in the form of `tool-bridge check --json`. @param {ServerDetail} server */
export function reportJson({ title, version, tools, skipped, warnings }) {
  return {
    title,
    version,
    tools: tools.map((tool) => ({
      name: tool.name,
      operation_id: tool.operation_id,
      method: tool.method,
      path: tool.path,
      warnings: tool.warnings,
    })),
    skipped,
    document_warnings: warnings,
  };
}
