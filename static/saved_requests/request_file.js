// @ts-check
/** The file in which saved requests are exported and imported (`docs/reference/saved-requests.md`). Pure. */
import { t, verbatim } from "../base/language.js";
import { parseJson, stringifyJson } from "../base/json_text.js";
import { MAX_NAME } from "../session/saved_requests.js";
import { isEmpty } from "./expectations.js";

/** @typedef {import("../types/types.js").JsonValue} JsonValue */
/** @typedef {import("../types/types.js").JsonObject} JsonObject */
/** @typedef {import("./expectations.js").Expectation} Expectation */
/** @typedef {{name: string, tool: string, arguments: JsonObject, expect: Expectation}} FileRequest */

/** A persisted name: of the format, with its version. */
const FORMAT = verbatim("tool-bridge requests 1");
export const MAX_FILE_CHARS = 4 * 1024 * 1024;

/** @param {FileRequest[]} requests */
export function writeRequestFile(requests) {
  const written = requests.map(({ expect, ...request }) => (isEmpty(expect) ? request : { ...request, expect }));
  return `${stringifyJson(/** @type {JsonValue} */ ({ format: FORMAT, requests: written }), 2)}\n`;
}

/**
 * @param {string} text
 * @returns {FileRequest[]}
 * @throws {Error} the text has another form; the message is for people
 */
export function readRequestFile(text) {
  const file = text.length <= MAX_FILE_CHARS ? readJson(text) : null;
  const requests = objectOf(file)?.format === FORMAT ? objectOf(file)?.requests : null;
  if (!Array.isArray(requests)) throw new Error(t`This is not a file of saved requests.`);
  return requests.map((each, place) => {
    const read = readRequest(objectOf(each));
    if (read === null) throw new Error(t`Request ${place + 1} of the file cannot be read.`);
    return read;
  });
}

/** @param {JsonObject | null} request @returns {FileRequest | null} */
function readRequest(request) {
  const { name, tool } = request ?? {};
  const args = objectOf(request?.arguments ?? {});
  const expect = readExpectation(request?.expect ?? {});
  if (typeof name !== "string" || typeof tool !== "string" || !args || !expect) return null;
  if (name.trim() === "" || name.length > MAX_NAME) return null;
  return { name, tool, arguments: args, expect };
}

/** @param {JsonValue | undefined} value @returns {Expectation | null} null: it cannot be read */
export function readExpectation(value) {
  const { status, within_ms, values, ...more } = objectOf(value) ?? { more: true };
  const isRead =
    Object.keys(more).length === 0 &&
    (status === undefined || (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599)) &&
    (within_ms === undefined || (typeof within_ms === "number" && within_ms > 0)) &&
    (values === undefined || objectOf(values) !== null);
  return isRead ? /** @type {Expectation} */ (value) : null;
}

/** @param {string} text @returns {JsonValue} */
function readJson(text) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** @param {JsonValue | undefined} value @returns {JsonObject | null} */
const objectOf = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {JsonObject} */ (value) : null;
