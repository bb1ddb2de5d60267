// @ts-check
/** What can be edited of a tool and of an argument: how each is shown, and read from what is typed. Pure. */
import { t } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { misfitOf } from "./fitting_value.js";
import { isObject } from "./page_overlay.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/api_types.js").JsonSchema} JsonSchema */
/** @typedef {import("../types/edit_types.js").EditableTool} EditableTool */
/** @typedef {import("../types/edit_types.js").ArgumentPlace} ArgumentPlace */
/** @typedef {{value?: JsonValue, problem?: string, doubt?: string}} Reading  none: as the document says */
/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} label
 * @property {string} hint
 * @property {"line" | "text" | "code" | "box" | "choice"} kind
 * @property {string} original   as it would be typed; "" where the document says nothing
 * @property {boolean} isText    it is typed as it is; otherwise as JSON
 * @property {[value: string, label: string][]} [choices]
 * @property {(value: JsonValue) => string} [check]  a sentence about what is wrong with it, "" for nothing
 * @property {(value: JsonValue) => string} [doubt]  the same of what is saved nevertheless
 */

const MAX_PROSE_CHARS = 50_000;
const MAX_ORDER = 1_000_000;
const MAX_QUERY_CHARS = 1000;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** @type {[value: string, label: string][]} */
const APPROVALS = [
  ["", t`As the document says`],
  ["ask", t`Ask every time`],
  ["allow", t`May be always allowed`],
];

/** @param {EditableTool} tool @returns {Member[]} */
export function membersOfTool({ name, description }) {
  return [
    { ...line("name", t`Name`, t`What models call it. Its old name still works.`, name), check: checkToolName },
    prose(description),
    {
      ...line("order", t`Place in lists`, t`Lower numbers come first; without one it is 0.`),
      isText: false,
      check: checkOrder,
    },
    box("hidden", t`Leave it out`, t`Models do not get this tool.`),
    { ...line("approval", t`Approval`, ""), kind: "choice", choices: APPROVALS },
    {
      ...line(
        "result_select",
        t`Part of the answer`,
        t`A query (JMESPath) that chooses what models get of each answer.`,
      ),
      check: checkQuery,
    },
    {
      ...line("examples", t`Examples`, t`Arguments of good calls, as a JSON array of objects.`),
      kind: "code",
      isText: false,
      check: checkExamples,
    },
  ];
}

/** @param {ArgumentPlace} place @param {JsonSchema} schema of the argument @returns {Member[]} */
export function membersOfArgument(place, schema) {
  const isText = schema.type === "string";
  const typed = isText ? "" : t`As JSON.`;
  const check = (/** @type {JsonValue} */ value) => misfitOf(value, schema);
  const doubt = (/** @type {JsonValue} */ value) => sentAsItIs(check(value));
  return [
    {
      ...line("name", t`Name`, t`What models call it; the API still gets ${place.sent_as}.`, place.name),
      check: checkArgumentName,
    },
    prose(place.description),
    { ...line("default", t`Default`, typed, textOf(schema.default, isText)), isText, check },
    {
      ...line(
        "fixed",
        t`Fixed value`,
        `${t`Always sent, and models do not see the argument. No place for secrets.`} ${typed}`,
      ),
      isText,
      doubt,
    },
    box("hidden", t`Hide it`, t`Models do not see it. It is sent only if it is required, with its default.`),
  ];
}

/** @param {string} name @param {string} label @param {string} hint @param {string} [original] @returns {Member} */
const line = (name, label, hint, original = "") => ({
  name,
  label,
  hint: hint.trim(),
  kind: "line",
  original: original.replace(/\r\n?/g, "\n"), // as a field of the page has it
  isText: true,
});

/** @param {string} original @returns {Member} */
const prose = (original) => ({
  ...line("description", t`Description`, t`What models read of it.`, original),
  kind: "text",
  check: checkProse,
});

/** @param {string} name @param {string} label @param {string} hint @returns {Member} */
const box = (name, label, hint) => ({ name, label, hint, kind: "box", original: "", isText: false });

/** @param {JsonValue | undefined} value @param {boolean} isText @returns {string} as it is typed */
export function textOf(value, isText) {
  if (value === undefined) return "";
  return isText && typeof value === "string"
    ? value
    : stringifyJson(value, isObject(value) || Array.isArray(value) ? 2 : 0);
}

/** @param {Member} member @param {string} text as typed; of a box "true" or "" @returns {Reading} */
export function readMember(member, text) {
  const typed = member.kind === "code" || !member.isText ? text.trim() : text;
  if (typed === member.original || typed.trim() === "") return {};
  const value = member.isText ? typed : readJson(typed);
  if (value === undefined) return { problem: t`This is not JSON.` };
  const problem = member.check?.(value) ?? "";
  return problem === "" ? { value, ...(member.doubt ? { doubt: member.doubt(value) } : {}) } : { problem };
}

/** Documents are wrong at times, so its owner has the last word. @param {string} misfit */
const sentAsItIs = (misfit) => (misfit === "" ? "" : t`${misfit} It is sent as it is.`);

/** @param {string} text @returns {JsonValue | undefined} */
function readJson(text) {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** @param {JsonValue} value */
const checkToolName = (value) => (TOOL_NAME.test(String(value)) ? "" : t`A name has 1 to 64 letters, digits, _ or -.`);

/** @param {JsonValue} value */
const checkArgumentName = (value) =>
  ARGUMENT_NAME.test(String(value)) ? "" : t`A name has 1 to 64 letters, digits, _, - or dots.`;

/** @param {JsonValue} value */
const checkProse = (value) =>
  String(value).length > MAX_PROSE_CHARS ? t`A description has at most ${MAX_PROSE_CHARS} characters.` : "";

/** @param {JsonValue} value */
const checkOrder = (value) =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_ORDER
    ? ""
    : t`The place is a whole number, at most ${MAX_ORDER}.`;

/** @param {JsonValue} value */
const checkQuery = (value) =>
  String(value).length > MAX_QUERY_CHARS ? t`A query has at most ${MAX_QUERY_CHARS} characters.` : "";

/** @param {JsonValue} value */
const checkExamples = (value) =>
  Array.isArray(value) && value.every(isObject) ? "" : t`Examples are an array of objects, such as [{"id": 7}].`;
