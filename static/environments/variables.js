// @ts-check
/**
 * Variables of an environment: `{{name}}` in what is typed into a form, `{name}` or `{{name}}` in a base address. Pure: no DOM.
 * A value is taken as it stands; places in it are not filled again.
 */
import { t, verbatim } from "../base/language.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {{name: string, value: string}} Variable */
/** @typedef {ReadonlyMap<string, string>} Values  by name */

const NAME = String.raw`[\p{L}\p{N}_.\-]+`;
const ONLY_NAME = new RegExp(`^${NAME}$`, "u");
const PLACE = new RegExp(String.raw`\{\{\s*(${NAME})\s*\}\}`, "gu");
const ADDRESS_PLACE = new RegExp(String.raw`\{\{\s*(${NAME})\s*\}\}|\{(${NAME})\}`, "gu");

export const MAX_VARIABLES = 50;
export const MAX_VARIABLE_NAME = 80;
/** Characters of a value. */
export const MAX_VARIABLE_VALUE = 4000;

/** A variable that is missing, or a line that is none; the message is for the user. */
export class VariableError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = verbatim("VariableError");
  }
}

/** @param {readonly Variable[]} variables @returns {Values} */
export const valuesOf = (variables) => new Map(variables.map(({ name, value }) => [name, value]));

/** Whether a text has a place of a variable. @param {string} text */
export const hasPlace = (text) => placesIn(text).length > 0;

/** What is wrong with a number that is still a place. @param {string} text */
export const unknownVariable = (text) => t`Expected a number: the environment in use has none for ${text.trim()}.`;

/** Places without a value stay. @param {string} text @param {Values} values */
export const fillText = (text, values) => text.replace(PLACE, (place, name) => values.get(name) ?? place);

/** Every text in a value filled; names of properties are left alone. @param {JsonValue} value @param {Values} values @returns {JsonValue} */
export function fillTexts(value, values) {
  if (typeof value === "string") return fillText(value, values);
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillTexts(member, values)]));
}

/** Names of the places in a value, each once. @param {JsonValue} value @returns {string[]} */
export function placesIn(value) {
  if (typeof value === "string") return [...new Set([...value.matchAll(PLACE)].map(([, name]) => name))];
  if (typeof value !== "object" || value === null) return [];
  return [...new Set(Object.values(value).flatMap(placesIn))];
}

/** @param {string} template @param {Values} values @throws {VariableError} when a place has no value */
export function fillAddress(template, values) {
  return template.replace(ADDRESS_PLACE, (_, twice, once) => {
    const name = twice ?? once;
    const value = values.get(name);
    if (value === undefined) throw new VariableError(t`The base address has {${name}}, and no variable has this name.`);
    return value;
  });
}

/** One a line, as they are typed. @param {readonly Variable[]} variables */
export const writeVariables = (variables) => variables.map(({ name, value }) => `${name} = ${value}`).join("\n");

/**
 * @param {string} text one a line: name = value
 * @returns {Variable[]}
 * @throws {VariableError} naming the first line that cannot be one
 */
export function readVariables(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > MAX_VARIABLES) throw new VariableError(t`An environment has at most ${MAX_VARIABLES} variables.`);
  /** @type {Map<string, string>} */
  const values = new Map();
  for (const line of lines) {
    const { name, value } = readLine(line);
    if (values.has(name)) throw new VariableError(t`The variable ${name} is there twice.`);
    values.set(name, value);
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

/** @param {string} line @returns {Variable} */
function readLine(line) {
  const at = line.indexOf("=");
  const name = line.slice(0, at).trim();
  const value = line.slice(at + 1).trim();
  // What stands there may be a secret: of a line that is none, only the beginning is named.
  if (at < 0 || !ONLY_NAME.test(name) || name.length > MAX_VARIABLE_NAME)
    throw new VariableError(
      t`“${line.trim().slice(0, 12)}…” is no variable. Write name = value, the name of letters, digits, “_”, “-” and “.”.`,
    );
  if (value.length > MAX_VARIABLE_VALUE)
    throw new VariableError(t`The value of ${name} is longer than ${MAX_VARIABLE_VALUE} characters.`);
  return { name, value };
}
