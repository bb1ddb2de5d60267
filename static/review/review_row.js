// @ts-check
/** One operation under review: the decision, the request it would send, what it says of itself, what changed. */
import { t } from "../base/language.js";
import { stringifyJson } from "../base/json_text.js";
import { truncateLine } from "../base/untrusted_text.js";
import { claimWords } from "../mcp/claim_labels.js";
import { el, freshId, methodTag } from "../ui/dom.js";

/** @typedef {import("../types/api_types.js").ServerTool} ServerTool */

/**
 * @param {ServerTool} tool
 * @param {{url: string, isNow: boolean, changes: string[], claims: string[], byCompanion: string[]}} standing  `isNow`: accepted
 * @returns {HTMLLIElement} its checkbox is not set yet
 */
export function reviewRow(tool, { url, isNow, changes, claims, byCompanion }) {
  const id = freshId("accept");
  const box = el("input", {
    type: "checkbox",
    id,
    value: tool.key,
    "aria-describedby": `${id}-about`,
  });
  const place = el("span", { class: "mono url" }, url);
  const about = el("div", { id: `${id}-about` }, effectBadge(tool), place, claimLine(claims), describeTool(tool));
  const lines = changes.map((line) => el("li", null, line));
  return el(
    "li",
    { class: tool.safe ? "" : "unsafe-row" },
    box,
    nameLabel(tool, id, { isChanged: changes.length > 0, isAccepted: isNow, isEdited: tool.original !== null }),
    about,
    changes.length > 0 ? el("ul", { class: "changes", "aria-label": t`What changed` }, ...lines) : null,
    originalLines(tool),
    fixedLine(tool),
    companionLine(byCompanion),
    ...tool.warnings.map((text) => el("p", { class: "hint warning-text" }, text)),
  );
}

/** @param {ServerTool} tool @param {string} id of its checkbox @param {{isChanged: boolean, isAccepted: boolean, isEdited: boolean}} standing */
function nameLabel({ name, method, safe }, id, { isChanged, isAccepted, isEdited }) {
  return el(
    "label",
    { for: id },
    methodTag(method, safe),
    " ",
    el("strong", null, name),
    isEdited ? el("span", { class: "badge" }, t`edited`) : null,
    isChanged ? el("span", { class: "badge warning" }, t`changed`) : null,
    isAccepted ? el("span", { class: "badge good" }, t`accepted`) : null,
  );
}

/** @param {ServerTool} tool */
function effectBadge({ safe, method }) {
  if (safe) return null;
  return el("span", { class: "badge unsafe" }, method === "DELETE" ? t`can delete data` : t`can change data`);
}

/** What the document says of a tool that an edit describes in another way. @param {ServerTool} tool */
function originalLines({ original }) {
  if (original === null) return null;
  const lines = [];
  if (original.name !== null) lines.push(t`The document calls it ${original.name}.`);
  if (original.description !== null) lines.push(t`The document says: ${original.description || t`nothing`}`);
  if (lines.length === 0) return null;
  const rows = lines.map((line) => el("li", { class: "pre-line" }, line));
  return el("ul", { class: "originals", "aria-label": t`Before the edits` }, ...rows);
}

/** What an edit sends, whatever a model asks for. @param {ServerTool} tool */
function fixedLine({ fixed }) {
  const sent = fixed.map(({ name, value }) => `${truncateLine(name)} = ${truncateLine(stringifyJson(value))}`);
  return sent.length === 0 ? null : el("p", { class: "hint" }, t`Each request carries ${sent.join(", ")}.`);
}

/** What the server says of its own tool changes nothing, and says so. @param {string[]} claims */
function claimLine(claims) {
  return claims.length === 0
    ? null
    : el("p", { class: "hint" }, t`The server itself says: ${claimWords(claims)}. You are asked all the same.`);
}

/** @param {string[]} labels */
function companionLine(labels) {
  return labels.length === 0
    ? null
    : el(
        "p",
        { class: "hint" },
        t`Through the companion extension, with a value that you set for the server, it also sends: ${labels.join(", ")}.`,
      );
}

/** @param {ServerTool} tool */
function describeTool(tool) {
  const text = tool.description || tool.summary;
  if (text === "") return null;
  if (text.length < 160 && !text.includes("\n")) return el("p", { class: "about" }, text);
  const begin = tool.summary || text.split("\n", 1)[0].slice(0, 140);
  return el("details", { class: "about" }, el("summary", null, begin), el("p", { class: "pre-line" }, text));
}
