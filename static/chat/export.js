// @ts-check
/** A conversation to take away: all of it as JSON, or the branch that is shown as Markdown. Pure. */
import { dictionaryOf } from "../base/dictionary.js";
import { t } from "../base/language.js";
import { formatSize } from "../ui/format_count.js";
import { formatBody } from "../ui/response_view.js";
import { withoutMarkers } from "../ui/markers.js";

/** @typedef {import("../types/chat_types.js").Conversation} Conversation */
/** @typedef {import("../types/chat_types.js").Message} Message */
/** @typedef {import("../types/chat_types.js").Turn} Turn */
/** @typedef {import("../types/chat_types.js").AnswerPart} AnswerPart */

const NAME_CHARS = 60;
/** @type {Record<string, string>} */
const STATES = dictionaryOf({
  succeeded: t`succeeded`,
  failed: t`failed`,
  denied: t`denied`,
  cancelled: t`cancelled`,
  expired: t`expired`,
  outcome_unknown: t`outcome unknown`,
});

/** @param {Conversation} conversation @param {Iterable<Message>} messages of all branches */
export function jsonOf(conversation, messages) {
  const all = [...messages];
  const leftOut = all.some(({ attachments = [] }) => attachments.length > 0)
    ? { left_out: t`The contents of attachments, and of files that tools answered with.` }
    : {};
  return `${JSON.stringify({ conversation, messages: all, ...leftOut }, null, 2)}\n`;
}

/** @param {Conversation} conversation @param {Turn[]} turns */
export function markdownOf({ title, model }, turns) {
  const head = [`# ${title.replace(/\s+/g, " ") || t`Conversation`}`, ...(model ? [t`Model: ${model}`] : [])];
  return `${[...head, ...turns.map(turnText)].join("\n\n")}\n`;
}

/** @param {Turn} turn */
function turnText(turn) {
  if (turn.kind === "user")
    return [`## ${t`You`}`, ...turn.attachments.map(attachmentText), turn.text].filter(Boolean).join("\n\n");
  return [`## ${t`Answer`}`, ...turn.parts.map(partText).filter((text) => text !== "")].join("\n\n");
}

/** A name of a file as it is, in one line: no character of it is a mark. @param {string} name */
const escaped = (name) => name.replace(/\n/g, " ").replace(/[\\*_`[\]]/g, "\\$&");

/** @param {import("../types/chat_types.js").AttachmentFacts} file */
const attachmentText = ({ name, mime, bytes }) =>
  `*${t`Attachment ${escaped(name)} (${mime}, ${formatSize(bytes)}), not included`}*`;

/** @param {AnswerPart} part */
function partText(part) {
  if (part.kind === "text") return withoutMarkers(part.text).trim();
  if (part.kind === "reasoning") return `### ${t`Reasoning`}\n\n${part.text.trim().replace(/^/gm, "> ")}`;
  const { name, arguments: text, result, state } = part.call;
  const answer = result === null ? [] : [fencedBlock(formatBody(result, ""))];
  return [
    `### ${t`Call of ${name}: ${STATES[state] ?? state.replaceAll("_", " ")}`}`,
    fencedBlock(formatBody(text || "{}", "json")),
    ...answer,
  ].join("\n\n");
}

/** A block of code whose fence is longer than any within. @param {string} text */
function fencedBlock(text) {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A name that every file system takes. @param {string} title @param {string} ending */
export function fileName(title, ending) {
  const plain = title
    .replace(/[^\p{L}\p{N} _-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, NAME_CHARS)
    .trim();
  return `${plain || t`conversation`}.${ending}`;
}
